// The shared context of all routes of one API server.
import type { Log } from '../base/mod.ts'
import type { ApiSessions, KeptAnswers } from '../store/mod.ts'
import type { Peer } from '../wire/mod.ts'
import type { Audit } from './audit.ts'
import type { ClientWork } from './clients/work.ts'
import type { JobWatch } from './job-watch.ts'
import type { ApiLimits } from './limits.ts'
import type { ApiMaster } from './master.ts'
import type { ApiSettings } from './settings.ts'

/** Counts of a server since it began. */
export interface ServerCounts {
  connections: number
  requests: number
  running: number
  bytesRead: number
  bytesWritten: number
}

export interface ApiService {
  readonly settings: ApiSettings
  readonly master: ApiMaster
  readonly sessions: ApiSessions
  /** Answers to requests with an `Idempotency-Key`. */
  readonly answers: KeptAnswers
  readonly watch: JobWatch
  readonly log: Log
  /** Seconds since 1970 at which the server began. */
  readonly began: number
  readonly counts: ServerCounts
  readonly limits: ApiLimits
  readonly audit: Audit
  /** Have something done when the API ends. */
  atEnd(close: () => void): void
}

/** Return the context of the lowstate clients for one request. */
export const clientWork = (
  { master, watch, log, audit, limits }: ApiService,
  peer: Peer,
  signal: AbortSignal,
  user?: string,
): ClientWork => ({
  master,
  watch,
  log,
  audit,
  limits,
  user,
  peer,
  signal,
})
