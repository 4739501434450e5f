import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { Maintenance, type MaintenanceParts } from './maintenance.ts'

const HOUR = 3_600_000
let cachedir: string

beforeEach(() => {
  cachedir = mkdtempSync(join(tmpdir(), 'brine-maintenance-'))
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(cachedir, { recursive: true })
})

/** Return what an hour of maintenance removes of jobs, for this retention in seconds. */
async function removals(keep: number): Promise<{ store: number[]; files: number[] }> {
  const removed = { store: [] as number[], files: [] as number[] }
  const maintenance = new Maintenance({
    opts: new Map<Value, Value>([
      ['cachedir', cachedir],
      ['keep_jobs_seconds', keep],
    ]),
    log: silentLog,
    jobs: { prune: (seconds: number) => removed.store.push(seconds) },
    jobCaches: { prune: async (seconds: number) => void removed.files.push(seconds) },
    cache: { bank: () => ({ fetch: () => undefined }) },
    tokens: { prune: () => undefined },
    secret: { madeAt: Date.now() },
  } as unknown as MaintenanceParts)
  maintenance.start()
  await vi.advanceTimersByTimeAsync(HOUR)
  maintenance.close()
  return removed
}

it('jobs are removed from the store and from files when they are old', async () => {
  const { store, files } = await removals(100)
  expect([new Set(store), files]).toEqual([new Set([100]), [100]])
})

it('keep_jobs_seconds of 0 keeps jobs for good', async () => {
  expect(await removals(0)).toEqual({ store: [], files: [] })
})
