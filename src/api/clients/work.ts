// What a client of lowstate works with, for one request.
import type { Log } from '../../base/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import type { JobWatch } from '../job-watch.ts'
import type { ApiMaster } from '../master.ts'

export interface ClientWork {
  master: ApiMaster
  watch: JobWatch
  log: Log
  peer: Peer
  /** Ends when the caller has gone. */
  signal: AbortSignal
}
