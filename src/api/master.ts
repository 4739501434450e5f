// The master as the API reaches it: the same inside the master's own process and in `salt-api` beside it. Every request of a caller
// is a command with that caller's credentials, which the master judges; the API has no rights to give away.
import type { BusEvent, Origin } from '../bus/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { AnswerRecords, SharedRecords } from '../store/mod.ts'
import type { Telemetry } from '../telemetry/mod.ts'
import type { Peer } from '../wire/mod.ts'

/** Events of the master, also after it was restarted. */
export interface EventFeed {
  /** The number of the last event that was heard. */
  readonly last: number
  /** Whether the master can be heard now. */
  readonly isOpen: boolean
  /** Hear every event from now on. Return the function that ends it. */
  listen(hear: (event: BusEvent) => void): () => void
}

export interface ApiMaster {
  /** The master with the rights of its owner: stores, functions, and questions about jobs that the API itself asks. */
  readonly access: MasterAccess
  readonly events: EventFeed
  /** The master's own telemetry; undefined where the master is another process. */
  readonly telemetry?: Telemetry
  /** The shared sessions of a cluster's masters; undefined without a cluster. */
  readonly sessions?: SharedRecords
  /** The shared answers of a cluster's masters; undefined without a cluster. */
  readonly answers?: AnswerRecords
  /** Send a command with the credentials of its caller, whose address is in `peer`. */
  command(load: Dict, peer: Peer): Promise<Value>
  /** Fire an event about something that came through the API. */
  fire(tag: string, data: Dict, origin: Origin): Promise<void>
  close(): void
}
