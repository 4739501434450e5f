import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Plain } from '../../src/data/mod.ts'
import { type Minion, minion } from './minion.ts'
import { canServe, type Server, startInflux } from './servers.ts'

describe.runIf(canServe('InfluxDB', '/usr/bin/influxd'))('influxdb', () => {
  let server: Server
  let salt: Minion
  const call = (fun: string, ...args: Plain[]): Promise<Plain> => salt.call(fun, args as never)

  beforeAll(async () => {
    server = await startInflux()
    salt = minion({ 'influxdb.host': '127.0.0.1', 'influxdb.port': server.port })
    await call('influxdb.create_db', 'app')
  })
  afterAll(() => server.stop())

  const names = async (): Promise<string[]> =>
    ((await call('influxdb.list_dbs')) as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== '_internal')

  test('creates and drops databases, whatever their names hold', async () => {
    const odd = `x"; DROP DATABASE "app`
    expect(await call('influxdb.create_db', odd)).toBe(true)
    expect(await names()).toEqual(['app', odd])
    expect(await call('influxdb.db_exists', odd)).toBe(true)
    expect(await call('influxdb.query', 'app', 'SHOW MEASUREMENTS')).toEqual(expect.anything())
    expect(await call('influxdb.drop_db', odd)).toBe(true)
    expect(await call('influxdb.drop_db', odd)).toBe(false)
    expect(await names()).toEqual(['app'])
  })

  test('manages users and their privileges', async () => {
    expect(await call('influxdb.user_exists', 'joe')).toBe(false)
    expect(await call('influxdb.user_info', 'joe')).toBe(null)
    expect(await call('influxdb.set_user_password', 'joe', 'x')).toBe(false)
    expect(await call('influxdb.remove_user', 'joe')).toBe(false)
    expect(await call('influxdb.create_user', 'joe', "it's")).toBe(true)
    expect(await call('influxdb.user_exists', 'joe')).toBe(true)
    expect(await call('influxdb.set_user_password', 'joe', "new'; DROP DATABASE app")).toBe(true)
    await call('influxdb.grant_admin_privileges', 'joe')
    expect(await call('influxdb.user_info', 'joe')).toEqual({ user: 'joe', admin: true })
    await call('influxdb.revoke_admin_privileges', 'joe')
    expect(await call('influxdb.user_info', 'joe')).toEqual({ user: 'joe', admin: false })
    await call('influxdb.grant_privilege', 'app', 'read', 'joe')
    expect(await call('influxdb.list_privileges', 'joe')).toEqual({ app: 'read' })
    await call('influxdb.revoke_privilege', 'app', 'all', 'joe')
    // the server lists the database still, as NO PRIVILEGES
    expect(await call('influxdb.list_privileges', 'joe')).toEqual({ app: 'no' })
    expect(await call('influxdb.remove_user', 'joe')).toBe(true)
    expect(await names()).toEqual(['app'])
  })

  test('manages retention policies', async () => {
    expect(await call('influxdb.retention_policy_exists', 'app', 'week')).toBe(false)
    await call('influxdb.create_retention_policy', 'app', 'week', '7d', 1)
    expect(await call('influxdb.retention_policy_exists', 'app', 'week')).toBe(true)
    expect(await call('influxdb.get_retention_policy', 'app', 'week')).toMatchObject({
      duration: '168h0m0s',
      default: false,
    })
    await call('influxdb.alter_retention_policy', 'app', 'week', '1d12h', '1', true)
    expect(await call('influxdb.get_retention_policy', 'app', 'week')).toMatchObject({
      duration: '36h0m0s',
      default: true,
    })
    await call('influxdb.drop_retention_policy', 'app', 'week')
    expect(await call('influxdb.get_retention_policy', 'app', 'week')).toEqual({})
  })

  test('manages continuous queries', async () => {
    const query = 'SELECT mean("v;w") INTO "app"."autogen"."x" FROM "app"."autogen"."m" GROUP BY time(1h)'
    expect(await call('influxdb.continuous_query_exists', 'app', 'cq')).toBe(false)
    await call('influxdb.create_continuous_query', 'app', 'cq', query, '30m', '2h')
    expect(await call('influxdb.continuous_query_exists', 'app', 'cq')).toBe(true)
    const held = (await call('influxdb.get_continuous_query', 'app', 'cq')) as { query: string }
    expect(held.query).toContain('RESAMPLE EVERY 30m FOR 2h BEGIN SELECT mean("v;w")')
    expect(await call('influxdb.get_continuous_query', 'other', 'cq')).toEqual({})
    await call('influxdb.drop_continuous_query', 'app', 'cq')
    expect(await call('influxdb.continuous_query_exists', 'app', 'cq')).toBe(false)
  })

  test.each<[string, Plain[]]>([
    ['influxdb.grant_privilege', ['app', 'read ON app TO joe; DROP DATABASE app; --', 'joe']],
    ['influxdb.revoke_privilege', ['app', 'all; DROP DATABASE app', 'joe']],
    ['influxdb.create_retention_policy', ['app', 'p', '1d REPLICATION 1; DROP DATABASE app; --', '1']],
    ['influxdb.alter_retention_policy', ['app', 'autogen', '1d', '1; DROP DATABASE app']],
    ['influxdb.create_continuous_query', ['app', 'cq', 'SELECT 1 END; DROP DATABASE app; --']],
    ['influxdb.create_continuous_query', ['app', 'cq', 'SELECT 1', '1h BEGIN x END; DROP DATABASE app']],
  ])('%s refuses a second statement in %j', async (fun, args) => {
    await expect(call(fun, ...args)).rejects.toThrow(/Invalid|semicolon/)
    expect(await names()).toEqual(['app'])
  })
})
