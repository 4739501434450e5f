// What the master stored about a job, for a client that may have missed events. Only a user who may read and write the
// files of the master sees it; other users, and clients beside Salt's own master, get nothing.
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { isAnyError, type Log, recover, StorageError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import { fileCache, SqliteJobs } from '../store/mod.ts'

const cachedirOf = (opts: Dict): string => option(opts, 'cachedir')

/** Whether this user can use a file. Readers of a database with a write-ahead log also write to it. */
function isOurs(file: string): boolean {
  // the file is missing, or this user may not read it
  return recover(isAnyError, false, () => {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  })
}

/** Return the stored returns of these minions to a job. */
export function storedReturns(opts: Dict, log: Log, jid: string, ids: Iterable<string>): Map<string, Dict> {
  const wanted = [...ids]
  const file = join(cachedirOf(opts), 'jobs.db')
  if (wanted.length === 0 || !isOurs(file)) return new Map()
  try {
    const jobs = new SqliteJobs(file)
    try {
      const rows = wanted.map((id) => [id, jobs.returnOf(jid, id)] as const)
      return new Map(rows.filter((row): row is [string, Dict] => row[1] !== undefined))
    } finally {
      jobs.close()
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log('warning', `Cannot read the returns to job ${jid}: ${error.message}`)
    return new Map()
  }
}

/** Return the stored state of a batch; undefined if there is none, or this user may not read it. */
export function storedBatch(opts: Dict, jid: string): Dict | undefined {
  const state = isOurs(join(cachedirOf(opts), 'batch'))
    ? fileCache(cachedirOf(opts)).bank('batch').fetch(jid)
    : undefined
  return state !== undefined && isDict(state) ? state : undefined
}
