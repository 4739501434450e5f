// Jobs and what became of them, minion by minion. A return is safe when the promise is kept, and is taken once.
import type { Dict, Value } from '../data/mod.ts'
import type { JobLedger } from './job-ledger.ts'
import type { PackedLoads } from './packed-loads.ts'

export interface JobRecord {
  jid: string
  /** What was published, without secrets. */
  load: Dict
  /** Who was meant. */
  minions: readonly string[]
  /**
   * Whether a syndic told of the job, and not this master. Such a record never changes one of this master, and gives way
   * when this master publishes a job of that id.
   */
  isForeign?: boolean
}

export interface JobReturn {
  jid: string
  id: string
  /** What the minion sent: `return`, `retcode`, `success`, `fun`, `out` and the like. */
  data: Dict
  /** The data as an event carries it, where that is at hand: it is not written out again. */
  packed?: Uint8Array
  /** The job it belongs to, when that was not kept before. */
  job?: JobRecord
}

/** What is known about one minion of a job. */
export interface MinionProgress {
  id: string
  /** `expired`: the minion was not connected while the job was wanted. */
  state: 'published' | 'running' | 'returned' | 'gone' | 'expired'
  /** Why there is no return. */
  reason?: string
}

export interface JobStore {
  /** The jobs as programs page through them. */
  readonly ledger: JobLedger
  /** Notes a job, or further minions of one. */
  saveJob(job: JobRecord): void
  /** Resolves when the return is on disk; false when there was one of this minion already. */
  saveReturn(ret: JobReturn): Promise<boolean>
  /** What is known about a minion that has not returned. */
  note(jid: string, progress: MinionProgress): void
  job(jid: string): JobRecord | undefined
  /** The last `limit` jobs of this master with missing returns, from a moment on in seconds since 1970, oldest first. */
  recent(since: number, limit: number): Array<JobRecord & { made: number }>
  returns(jid: string): Map<string, Dict>
  /** What one minion returned. */
  returnOf(jid: string, id: string): Dict | undefined
  progress(jid: string): MinionProgress[]
  /** What was noted about minions of a job, by id. */
  notes(jid: string): Map<string, MinionProgress>
  /** The loads of jobs by jid, oldest first; the last `limit` of them. Others get the same loads: whoever changes one copies it. */
  jobs(limit?: number): Map<string, Dict>
  /** The loads of all jobs as they are stored; undefined where `jobs` is as fast. */
  packedLoads(): PackedLoads | undefined
  /** The jid of the last return of each minion for a function. */
  lastReturns(fun: string): Map<string, Dict>
  minions(): Value[]
  /** Removes jobs that are older; gives their number. */
  prune(olderThanSeconds: number): number
  close(): void
}
