// Pausing or ending a run from outside: a file named after the job says which ID (or every one) must wait and for how
// long, or that the run must end there.
import { setTimeout as delay } from 'node:timers/promises'
import { type Dict, numberOf, truthy } from '../../data/mod.ts'
import type { LowChunk } from '../compile/types.ts'

export interface PauseFile {
  /** Whether it was absent a moment ago. */
  isAbsent?(): boolean
  /** Return the content of the file; undefined if it does not exist. */
  read(): Promise<Dict | undefined>
}

const POLL_MS = 1000

/**
 * The shortest time between two reads of the pause file, in milliseconds. A read costs as much as a state without
 * changes, and a user cannot pause a run to the millisecond.
 */
const LOOK_MS = 1

/** The same file, not looked for again at once after it was absent. */
export function seldom(file: PauseFile): PauseFile {
  let absentAt = Number.NEGATIVE_INFINITY
  return {
    isAbsent: () => performance.now() - absentAt < LOOK_MS,
    read: async () => {
      const data = await file.read()
      if (data === undefined) absentAt = performance.now()
      return data
    },
  }
}

/** Waits as long as the file wants, then says whether the run goes on. */
export async function pauseAction(low: LowChunk, file: PauseFile): Promise<'run' | 'kill'> {
  const start = performance.now()
  for (;;) {
    const data = await file.read()
    const entry = data?.get(low.get('__id__')!) ?? data?.get('__all__')
    if (!(entry instanceof Map)) return 'run'
    const seconds = numberOf(entry.get('duration') ?? null)
    if (seconds !== undefined && performance.now() - start > seconds * 1000) return 'run'
    if (truthy(entry.get('kill') ?? false)) return 'kill'
    await delay(POLL_MS)
  }
}
