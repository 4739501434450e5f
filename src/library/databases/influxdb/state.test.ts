import { describe, expect, test } from 'vitest'
import { fromPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import database from './influxdb_database.state.ts'
import policy from './influxdb_retention_policy.state.ts'

describe('influxdb states', () => {
  test('influxdb_database.present creates a missing database', async () => {
    const created: Value[] = []
    const others = {
      'influxdb.db_exists': () => false,
      'influxdb.create_db': ([name]: readonly Value[]) => {
        created.push(name ?? null)
        return true
      },
    }
    const forecast = await tryState(database, 'present', { args: ['app'], others, test: true })
    expect([forecast.get('result'), forecast.get('comment')]).toEqual([
      null,
      'Database app is absent and will be created',
    ])
    expect(created).toEqual([])
    const report = await tryState(database, 'present', { args: ['app'], others })
    expect(report).toEqual(
      fromPlain({ name: 'app', changes: { app: 'Present' }, result: true, comment: 'Database app has been created' }),
    )
    expect(created).toEqual(['app'])
  })

  test('influxdb_retention_policy.present alters what differs', async () => {
    const held = fromPlain({ name: 'week', duration: '168h0m0s', replicaN: 1, default: false })
    const others = { 'influxdb.get_retention_policy': () => held, 'influxdb.alter_retention_policy': () => true }
    const same = await tryState(policy, 'present', { args: ['week', 'app'], others })
    expect(same.get('comment')).toBe('retention policy week is already present')
    const report = await tryState(policy, 'present', { args: ['week', 'app', '14d'], others })
    expect(report.get('comment')).toBe('retention policy week has been changed')
    expect(report.get('changes')).toEqual(fromPlain({ duration: 'Retention changed from 168h0m0s to 14d.' }))
  })
})
