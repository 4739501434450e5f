import { describe, expect, test } from 'vitest'
import { fromPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import user from './mongodb_user.state.ts'

describe('mongodb_user.present', () => {
  const held = fromPlain([{ user: 'joe', roles: [{ role: 'read', db: 'app' }] }])

  test('grants missing roles and revokes others', async () => {
    const calls: [string, Value][] = []
    const note = (name: string) => (_args: readonly Value[], kwargs: unknown) => {
      calls.push([name, (kwargs as { roles: Value }).roles])
      return true
    }
    const others = {
      'mongodb.user_find': () => held,
      'mongodb.user_grant_roles': note('grant'),
      'mongodb.user_revoke_roles': note('revoke'),
    }
    const kwargs = { name: 'joe', passwd: 'pw', database: 'app', roles: ['readWrite'] }
    const report = await tryState(user, 'present', { kwargs, others })
    expect(report.get('changes')).toEqual(
      fromPlain({ joe: { database: 'app', roles: { old: ['read'], new: ['readWrite'] } } }),
    )
    expect(calls).toEqual([
      ['grant', ['readWrite']],
      ['revoke', ['read']],
    ])
  })

  test('refuses a port that is no number', async () => {
    const report = await tryState(user, 'present', { kwargs: { name: 'joe', passwd: 'pw', port: 'x' } })
    expect([report.get('result'), report.get('comment')]).toEqual([false, 'Port (x) is not an integer.'])
  })
})
