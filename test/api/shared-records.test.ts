import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answersBeside, recordsBeside } from '../../src/api/shared-records.ts'
import type { Cluster } from '../../src/cluster/mod.ts'
import { type Dict, dictFrom, type Value } from '../../src/data/mod.ts'
import { clusterCommands } from '../../src/master/cluster-commands.ts'
import type { MasterStores } from '../../src/sdk/mod.ts'
import { fileCache, SharedSessions } from '../../src/store/mod.ts'

test('salt-api beside a master of a cluster changes sessions by commands to the master, and reads them from its files', async () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-sessions-'))
  try {
    const stores = { cache: fileCache(root), settled: async () => {} } as unknown as MasterStores
    const { note_session: note } = clusterCommands(undefined, stores)
    const command = async (load: Dict): Promise<Value> => (await note!(load)) as Value
    const records = recordsBeside({ cache: fileCache(root), settled: async () => {} }, command)
    const sessions = new SharedSessions(records, () => 1000, console.error)
    const id = 'ab'.repeat(20)
    await sessions.make(id, { token: 'f0', user: 'ann', eauth: 'pam', expires: 2000 })
    expect(sessions.find(id)).toEqual({ token: 'f0', user: 'ann', eauth: 'pam', expires: 2000 })
    await sessions.end(id)
    expect(sessions.find(id)).toBeUndefined()
    await expect(records.store('../minions/web1', 'x')).rejects.toThrow('did not take')
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('salt-api beside a master of a cluster claims requests with an Idempotency-Key by commands to the master', async () => {
  const all = new Map<string, Dict>()
  const claims = {
    claim: async (key: string, record: Dict) => all.get(key) ?? void all.set(key, record),
    store: async (key: string, record: Dict) => void all.set(key, record),
    remove: async (key: string) => void all.delete(key),
  }
  const { note_answer: note } = clusterCommands({ claims } as unknown as Cluster, {} as MasterStores)
  const answers = answersBeside(async (load) => (await note!(load)) as Value)
  const [key, first] = ['ab'.repeat(32), dictFrom({ request: 'r' })]
  expect(await answers.claim(key, first)).toBeUndefined()
  expect(await answers.claim(key, dictFrom({ request: 's' }))).toEqual(first)
  await answers.store(key, dictFrom({ request: 'r', body: 'done' }))
  expect(await answers.claim(key, first)).toEqual(dictFrom({ request: 'r', body: 'done' }))
  await answers.remove(key)
  expect(all.size).toBe(0)
  await expect(answers.claim('../x', first)).rejects.toThrow('did not take')
})
