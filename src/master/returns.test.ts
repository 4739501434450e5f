import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { EventBus, minionOrigin } from '../bus/mod.ts'
import type { Value } from '../data/mod.ts'
import { fileCache, PkiKeys, SqliteJobs } from '../store/mod.ts'
import { type ReturnForm, ReturnService } from './returns.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-returns-'))
const jobs = new SqliteJobs(join(folder, 'jobs.db'))
afterAll(() => {
  jobs.close()
  rmSync(folder, { recursive: true })
})

/** The ids whose returns reached the job caches. */
const cached: string[] = []
const bus = new EventBus(silentLog)
const service = new ReturnService(
  {
    ...{ opts: new Map(), log: silentLog, bus, jobs, cluster: undefined },
    keys: new PkiKeys(join(folder, 'pki')),
    cache: fileCache(folder),
    jobCaches: {
      published: async () => {},
      returned: async ({ fields }) => void cached.push(String(fields.get('id'))),
      prune: async () => {},
    },
  },
  { valuesOfRequest: 1000, allowsEvents: () => true },
)

const take = (id: string, form: ReturnForm): unknown => {
  const data = new Map<Value, Value>([
    ['jid', '1'],
    ['id', id],
    ['return', true],
  ])
  return service.carryOut(
    { jid: '1', id, isKept: true, tag: `salt/job/1/ret/${id}`, data, sender: minionOrigin(id) },
    form,
  )
}

test('the job caches get each return from the master that got it, also in its next life', async () => {
  await take('here', { mark: 'a.1', isForeign: false })
  await take('elsewhere', { mark: 'b.1', isForeign: true, isLeft: false })
  await take('before', { mark: 'a0.1', isForeign: true, isLeft: true, isUntold: (isFirst) => isFirst })
  await take('told', { mark: 'a0.2', isForeign: true, isLeft: true, isUntold: () => false })
  expect(cached).toEqual(['here', 'before'])
})
