import { expect, test } from 'vitest'
import { brineVersion } from '../../../base/mod.ts'
import type { Dict, Value } from '../../../data/mod.ts'
import type { MasterContext, MinionJob } from '../../../sdk/mod.ts'
import { callOn } from '../common/try-master-function.test-support.ts'
import manage from './runner.ts'

const parts = (removed: string[] = []): Partial<MasterContext> => ({
  keys: {
    list: () => ['db1', 'web1', 'web2'],
    remove: (_folder: string, id: string) => void removed.push(id),
  } as never,
  connected: () => new Map([['web1', '10.0.0.1']]),
})

test.each(['not_present', 'list_not_state', 'not_joined', 'not_allowed', 'not_alived', 'not_reaped'])(
  'manage.%s returns the minions that are not connected',
  async (fun) => {
    expect(await callOn(parts(), manage, fun)).toEqual(['db1', 'web2'])
    expect(await callOn(parts(), manage, fun, ['web1', 'web2'])).toEqual(['web2'])
    expect(await callOn(parts(), manage, fun, 'db1,web2')).toEqual(['db1', 'web2'])
  },
)

test('manage.present returns the connected minions of a subset', async () => {
  expect(await callOn(parts(), manage, 'present')).toEqual(['web1'])
  expect(await callOn(parts(), manage, 'present', 'db1')).toEqual([])
  expect(await callOn(parts(), manage, 'present', null, true)).toEqual({ web1: '10.0.0.1' })
})

test('manage.key_regen has the minions delete their keys, and deletes them on the master', async () => {
  const removed: string[] = []
  const jobs: MinionJob[] = []
  const run: MasterContext['run'] = async function* (job) {
    jobs.push(job)
    yield { id: 'web1', data: new Map() }
  }
  const text = await callOn({ ...parts(removed), run }, manage, 'key_regen')
  expect(text).toMatch(/^The minion and master keys have been deleted/)
  expect(jobs).toEqual([{ tgt: '*', fun: 'saltutil.regen_keys' }])
  expect(removed).toEqual(['db1', 'web1', 'web2'])
})

test('manage.versions compares versions by their numbers, and shows Brine on request', async () => {
  const answers: Record<string, Record<string, unknown>> = {
    'test.version': { web1: '3008.10', web2: '3007.14', db1: '3008.2' },
    'grains.get': { db1: '0.1.0' },
  }
  const run: MasterContext['run'] = async function* ({ fun }) {
    for (const [id, version] of Object.entries(answers[fun as string]!)) {
      const data = new Map<Value, Value>([['return', version as Value]]).set('retcode', 0)
      yield { id, data }
    }
    if (fun === 'test.version') yield { id: 'gone' }
  }
  const own = async (): Promise<Value> => '3008.2'
  const shown = await callOn({ ...parts(), run, function: own as never }, manage, 'versions')
  const expected = {
    'Up to date': { db1: '3008.2' },
    'Minion requires update': { web2: '3007.14' },
    'Minion newer than master': { web1: '3008.10' },
    'Minion offline': { gone: false },
    Master: '3008.2',
  }
  expect(shown).toEqual(expected)
  expect(await callOn({ ...parts(), run, function: own as never }, manage, 'versions', true)).toEqual({
    ...expected,
    Brine: { Master: brineVersion(), Minions: { db1: '0.1.0' } },
  })
})

test("manage.stats shows the master's answer, and fails without one", async () => {
  const facts = async (): Promise<Dict[]> => [new Map([['uptime_seconds', 7]])]
  expect(await callOn({ facts }, manage, 'stats')).toEqual({ uptime_seconds: 7 })
  await expect(callOn({ facts: async () => undefined }, manage, 'stats')).rejects.toThrow('is not a Brine master')
})
