// Job ids that are chosen by a user without the right to choose ids. Salt's clients choose one for each batch and for
// some jobs of its API, and look for returns under it. Such an id is harmless if it is new and its time is recent: it
// then belongs to no other job.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { option } from '../../config/mod.ts'
import { type Dict, equals } from '../../data/mod.ts'
import type { JobOwner, JobStore } from '../../store/mod.ts'
import type { JobRequest } from '../publication.ts'

export interface JobsHere {
  opts: Dict
  jobs: Pick<JobStore, 'job' | 'ledger'>
}

/** The maximum age of an id, and how far its time may be in the future, in milliseconds. */
const OLDEST = 86_400_000
const AHEAD = 60_000

/** Whether a user may take the id of a request: a new one, or that of an own job of the same function, which further minions get. */
export function mayTakeId({ opts, jobs }: JobsHere, owner: JobOwner, { jid, fun }: JobRequest): boolean {
  if (jid === undefined) return true
  if (!isOfPresent(jid)) return false
  const known = jobs.job(jid)
  if (known) return jobs.ledger.isOwn(jid, owner) && equals(known.load.get('fun') ?? null, fun)
  // runner jobs have ids too; finished ones are in the job store
  return !existsSync(join(option(opts, 'cachedir'), 'proc', jid))
}

/** Whether the time in a job id is of the last day. Salt's clients take the local time, or UTC with `utc_jid`. */
function isOfPresent(jid: string, now: number = Date.now()): boolean {
  const [, year, month, day, hour, minute, second] = (/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(jid) ?? []).map(
    Number,
  )
  const parts = [year!, month! - 1, day!, hour!, minute!, second!] as const
  return [Date.UTC(...parts), new Date(...parts).getTime()].some((time) => time <= now + AHEAD && time >= now - OLDEST)
}
