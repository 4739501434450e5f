// Jobs and their returns by minion. A return is stored when the promise resolves, and only once.
import type { Dict, Value } from '../data/mod.ts'
import type { JobLedger } from './job-ledger.ts'
import type { PackedLoads } from './packed-loads.ts'

export interface JobRecord {
  jid: string
  /** The publication without secrets. */
  load: Dict
  /** The targeted minions. */
  minions: readonly string[]
  /**
   * Whether a syndic reported the job. Such a record never changes one of this master, and is replaced when this master
   * publishes a job with that id.
   */
  isForeign?: boolean
}

export interface JobReturn {
  jid: string
  id: string
  /** The data of the minion: `return`, `retcode`, `success`, `fun`, `out` and the like. */
  data: Dict
  /** The data as an event carries it, where that is at hand: it is not written out again. */
  packed?: Uint8Array
  /** The job it belongs to, when that was not kept before. */
  job?: JobRecord
}

/** The progress of one minion in a job. */
export interface MinionProgress {
  id: string
  /** `expired`: the minion was not connected while the job was wanted. */
  state: 'published' | 'running' | 'returned' | 'gone' | 'expired'
  /** The reason for a missing return. */
  reason?: string
}

/** A part of the job store, in the order of job ids. */
export interface JobRange {
  /** The first and the last job id. */
  from: string
  until: string
  jobs: number
  returns: number
}

export interface JobStore {
  /** The jobs in the form for paging. */
  readonly ledger: JobLedger
  /** Notes a job, or further minions of one. */
  saveJob(job: JobRecord): void
  /** Resolves when the return is on disk; false if this minion already had one. */
  saveReturn(ret: JobReturn): Promise<boolean>
  /** Store the progress of a minion without a return. */
  note(jid: string, progress: MinionProgress): void
  job(jid: string): JobRecord | undefined
  /** The last `limit` jobs of this master with missing returns, from a moment on in seconds since 1970, oldest first. */
  recent(since: number, limit: number): Array<JobRecord & { made: number }>
  returns(jid: string): Map<string, Dict>
  /** Return the return of one minion. */
  returnOf(jid: string, id: string): Dict | undefined
  progress(jid: string): MinionProgress[]
  /** Return the stored progress of a job's minions, by id. */
  notes(jid: string): Map<string, MinionProgress>
  /**
   * Return the loads of jobs by jid, oldest first; the last `limit` of them. The loads are shared: copy one before
   * changing it.
   */
  jobs(limit?: number): Map<string, Dict>
  /** Return the stored loads of all jobs; undefined if `jobs` is as fast. */
  packedLoads(): PackedLoads | undefined
  /**
   * Return jobs of this master with the minions that returned, in the order of job ids, until there are enough returns.
   */
  returnedIds(range: JobRange): Array<{ jid: string; ids: string[] }>
  /** The jid of the last return of each minion for a function. */
  lastReturns(fun: string): Map<string, Dict>
  minions(): Value[]
  /** Removes jobs that are older; gives their number. */
  prune(olderThanSeconds: number): number
  close(): void
}
