import { expect, test } from 'vitest'
import { type Dict, dictFrom, type Value } from '../../../data/mod.ts'
import { type StateTrial, tryState } from '../../../sdk/mod.ts'
import gpg from './state.ts'

const key = (keyid: string, facts: Record<string, Value> = {}): Value => dictFrom({ keyid, trust: 'Unknown', ...facts })
const answer = (res: boolean, message: Value): Value => new Map<Value, Value>([['res', res]]).set('message', message)

async function run(fun: string, kwargs: Record<string, Value>, trial: StateTrial = {}) {
  const others = {
    'gpg.list_keys': () => [key('AA'), key('BB', { expired: true, expires: '2020-01-01' })],
    'gpg.receive_keys': () => answer(true, ['Key CC added to keychain']),
    'gpg.get_key': () => key('CC'),
    'gpg.trust_key': () => answer(true, ''),
    'gpg.delete_key': () => answer(false, 'Secret key exists'),
    ...trial.others,
  }
  const report = await tryState(gpg, fun, { kwargs, others, test: trial.test ?? false })
  return [report.get('result'), report.get('comment'), Object.fromEntries(report.get('changes') as Dict)]
}

test('keys that are missing are fetched, and trusted after that', async () => {
  expect(await run('present', { name: 'x', keys: ['AA', 'CC'], trust: 'fully' })).toEqual([
    true,
    'Key AA:\n  * GPG Public Key AA already in keychain\n  * Set trust level for AA to fully\nKey CC:\n  * Added CC to GPG keychain\n  * Set trust level for CC to fully',
    { CC: new Map<string, Value>([['added', true]]).set('trust', 'fully'), AA: new Map([['trust', 'fully']]) },
  ])
})

test('a dry run predicts what would be fetched or renewed', async () => {
  expect(await run('present', { name: 'CC' }, { test: true })).toEqual([
    ...[null, 'Key CC:\n  * Would have added CC to GPG keychain', { CC: new Map([['added', true]]) }],
  ])
  expect(await run('present', { name: 'BB' }, { test: true })).toEqual([
    null,
    'Key BB:\n  * Would have attempted to update BB because it is expired',
    { BB: new Map([['refresh', true]]) },
  ])
})

test('a key that is over fails when the server has no news of it', async () => {
  const [result, comment] = await run('present', { name: 'BB' })
  expect([result, comment]).toEqual([
    false,
    'Key BB:\n  * Existing key is expired, tried to fetch updated one\n  * Key CC added to keychain',
  ])
})

test('a key that cannot be deleted is reported', async () => {
  expect(await run('absent', { name: 'AA' })).toEqual([false, ['Secret key exists'], {}])
  expect(await run('absent', { name: 'ZZ' })).toEqual([true, 'ZZ not found in GPG keychain', {}])
})
