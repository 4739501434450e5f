// The context of a lowstate client for one request.
import type { Log } from '../../base/mod.ts'
import type { Peer } from '../../wire/mod.ts'
import type { Audit } from '../audit.ts'
import type { JobWatch } from '../job-watch.ts'
import type { ApiLimits } from '../limits.ts'
import type { ApiMaster } from '../master.ts'

export interface ClientWork {
  master: ApiMaster
  watch: JobWatch
  log: Log
  audit: Audit
  limits: ApiLimits
  /** The user of the session; undefined where chunks carry credentials. */
  user: string | undefined
  peer: Peer
  /** Ends when the caller has gone. */
  signal: AbortSignal
}
