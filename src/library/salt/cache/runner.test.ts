import { expect, test } from 'vitest'
import { fromPlain, type Value } from '../../../data/mod.ts'
import type { MasterContext, SharedBanks } from '../../../sdk/mod.ts'
import { callOn, memoryCache } from '../common/try-master-function.test-support.ts'
import cache from './runner.ts'

test('cache.clear_git_lock reports what it removed, and refuses an unknown role', async () => {
  const clearGitLocks: MasterContext['clearGitLocks'] = async (_role, types, pattern) =>
    types.includes('update') && pattern === null ? ['Removed update lock'] : []
  const master = { clearGitLocks }
  expect(await callOn(master, cache, 'clear_git_lock', 'git_pillar')).toEqual({ cleared: ['Removed update lock'] })
  expect(await callOn(master, cache, 'clear_git_lock', 'git_pillar', 'x*')).toBe('No locks were removed')
  await expect(callOn({}, cache, 'clear_git_lock', 'roots')).rejects.toThrow("Invalid role 'roots'")
})

/** Banks of a server, in memory. */
function banksOf(kept: Map<string, Map<string, Value>>): SharedBanks {
  return {
    apply: async (changes) => {
      for (const { bank, key, value } of changes) {
        const values = kept.get(bank) ?? new Map<string, Value>()
        kept.set(bank, values.set(key!, value!))
      }
    },
    fetch: async (bank, keys) => new Map(keys.map((key) => [key, kept.get(bank)!.get(key)!])),
    times: async (bank) => new Map([...kept.get(bank)!.keys()].map((key) => [key, 0])),
    banks: async () => [...kept.keys()],
    close: () => {},
  }
}

test('cache.migrate copies all banks, or one with its sub-banks, or only counts', async () => {
  const values = (...keys: string[]) => new Map<string, Value>(keys.map((key) => [key, fromPlain({ of: key })]))
  const source = new Map([
    ['grains', values('web1', 'db1')],
    ['cloud', values('a')],
    ['cloud/active', values('b')],
  ])
  const logins = new Map([...source, ['tokens', values('t')]])
  const target = new Map<string, Map<string, Value>>()
  const cacheBanks = async (driver: string) =>
    driver === 'localfs' ? banksOf(logins) : driver === 'redis' ? banksOf(target) : undefined
  const migrate = (...args: (string | boolean | null)[]) => callOn({ cacheBanks }, cache, 'migrate', ...args)
  expect(await migrate('localfs', 'redis', 'cloud', null, true)).toBe(
    "Would migrate 2 entries from 'localfs' → 'redis'\n  Banks:\n    cloud: 1\n    cloud/active: 1\n  (dry-run — no data written)",
  )
  expect(target.size).toBe(0)
  expect(await migrate('localfs', 'redis')).toMatch(/^Migrated 4 entries from 'localfs' → 'redis'\n/)
  expect(target).toEqual(source)
  await expect(migrate('localfs', 'nosuch')).rejects.toThrow("There is no driver 'nosuch' of the cache")
  await expect(migrate('redis', 'redis')).rejects.toThrow("Both drivers are 'redis'")
})

test('cache.fetch returns a value or an empty dict, and cache.cloud the machines of a provider', async () => {
  const kept = memoryCache({
    'cloud/active': { web1: { provider: 'ec2' }, web2: { provider: 'gce' }, db1: { provider: 'ec2' } },
  })
  expect(await callOn({ cache: kept }, cache, 'fetch', 'cloud/active', 'web1')).toEqual({ provider: 'ec2' })
  expect(await callOn({ cache: kept }, cache, 'fetch', 'cloud/active', 'none')).toEqual({})
  expect(await callOn({ cache: kept }, cache, 'cloud', 'web*', 'ec2')).toEqual({ web1: { provider: 'ec2' } })
})

test.each(['tokens', 'tokens/', './tokens', '/tokens', '', '.', '../master2', 'x/../tokens'])(
  'The bank %j gives no access to logins, nor to paths outside the cache',
  async (bank) => {
    const kept = memoryCache({ tokens: { t: { name: 'joe' } } })
    const forged = { name: 'root', eauth: 'pam', expire: 9e9 }
    await expect(callOn({ cache: kept }, cache, 'store', bank, 'tokens/f', forged)).rejects.toThrow(/bank/)
    for (const fun of ['list', 'flush']) await expect(callOn({ cache: kept }, cache, fun, bank)).rejects.toThrow(/bank/)
    await expect(callOn({ cache: kept }, cache, 'fetch', bank, 't')).rejects.toThrow(/bank/)
    expect(kept.bank('tokens').list()).toEqual(['t'])
  },
)

test('the clearing functions clear the data of the targeted minions alone', async () => {
  const both = () => ({ web1: { 'network.ip': 1, 'disk.usage': 2 }, db1: { 'network.ip': 3 } })
  const targets = (() => ({ minions: ['web1'], missing: [] })) as unknown as MasterContext['targets']
  const left = async (fun: string, ...args: (string | null)[]) => {
    const kept = memoryCache({ grains: both(), pillar: both(), mine: both() })
    const answer = await callOn({ cache: kept, targets }, cache, fun, ...args)
    const listed = ['grains', 'pillar', 'mine'].map((bank) => kept.bank(bank).list().join(' '))
    return { answer, listed, mine: kept.bank('mine').fetch('web1') }
  }
  const [all, one] = ['web1 db1', 'db1']
  expect(await left('clear_grains', 'web1')).toMatchObject({ answer: true, listed: [one, all, all] })
  expect(await left('clear_pillar', 'web1')).toMatchObject({ answer: true, listed: [all, one, all] })
  expect(await left('clear_mine', 'web1')).toMatchObject({ answer: true, listed: [all, all, one] })
  expect(await left('clear_all', 'web1')).toMatchObject({ answer: true, listed: [one, one, one] })
  expect(await left('clear_all', null)).toMatchObject({ listed: [all, all, all] })
  expect((await left('clear_mine_func', 'web1', 'glob', 'network.ip')).mine).toEqual(fromPlain({ 'disk.usage': 2 }))
  expect((await left('clear_mine_func', 'web1')).answer).toBe(false)
})

test('cache.list and cache.flush return the content of a bank', async () => {
  const kept = memoryCache({ mine: { web1: 1, db1: 2 } })
  expect(await callOn({ cache: kept }, cache, 'list', 'mine')).toEqual(['db1', 'web1'])
  expect(await callOn({ cache: kept }, cache, 'flush', 'mine', 'web1')).toBe(true)
  expect(await callOn({ cache: kept }, cache, 'flush', 'mine', 'web1')).toBe(false)
  expect(await callOn({ cache: kept }, cache, 'list', 'mine')).toEqual(['db1'])
  expect(await callOn({ cache: kept }, cache, 'flush', 'mine')).toBe(true)
  expect(await callOn({ cache: kept }, cache, 'list', 'mine')).toEqual([])
})
