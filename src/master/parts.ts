// The parts of a running master. Each part names the few others that it needs (`Pick`).
import type { Log } from '../base/mod.ts'
import type { BusEvent, EventBus } from '../bus/mod.ts'
import type { Cluster } from '../cluster/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { MasterStores } from '../sdk/mod.ts'
import type { DataCache, JobStore, PkiKeys, StorageWatch } from '../store/mod.ts'
import type { PublishChannel } from '../wire/mod.ts'
import type { Connections } from './connections.ts'
import type { Deliveries } from './delivery.ts'
import type { Syndics } from './syndics.ts'

/** Listeners for jobs besides the store. */
export interface JobListeners {
  /** Called before a job is published. `isOfSalt`: a client of Salt's own Python requested it. */
  published(jid: string, load: Dict, minions: readonly string[], isOfSalt?: boolean): Promise<void>
  /** The event of the return. */
  returned(event: BusEvent): Promise<void>
  /** Remove data of jobs that are older. */
  prune(olderThanSeconds: number): Promise<void>
}

export interface MasterParts {
  opts: Dict
  log: Log
  keys: PkiKeys
  bus: EventBus
  /** Write every event so far to the journal; resolves to false if the disk does not accept them yet. */
  kept(): Promise<boolean>
  jobs: JobStore
  jobCaches: JobListeners
  cache: DataCache
  storage: StorageWatch
  /** All stores, for the master's functions. */
  stores: MasterStores
  publications: Pick<PublishChannel, 'publish' | 'reached'>
  connections: Connections
  deliveries: Deliveries
  syndics: Syndics
  /** The other masters; undefined for a master alone. */
  cluster?: Cluster | undefined
}
