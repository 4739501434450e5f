// What the parts of a master share.
import type { Log } from '../base/mod.ts'
import type { BusEvent, EventBus } from '../bus/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { DataCache, JobStore, PkiKeys, StorageWatch } from '../store/mod.ts'
import type { PublishChannel } from '../wire/mod.ts'

/** Who hears of jobs besides the store. */
export interface JobListeners {
  published(jid: string, load: Dict, minions: readonly string[]): Promise<void>
  /** The return as it was told. */
  returned(event: BusEvent): Promise<void>
}

export interface MasterParts {
  opts: Dict
  log: Log
  keys: PkiKeys
  bus: EventBus
  /** Resolves when every event so far is in the journal. */
  kept(): Promise<void>
  jobs: JobStore
  jobCaches: JobListeners
  cache: DataCache
  storage: StorageWatch
  publications: Pick<PublishChannel, 'publish' | 'reached'>
}
