// What the parts of a master share.
import type { Log } from '../base/mod.ts'
import type { EventBus } from '../bus/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { DataCache, JobStore, PkiKeys } from '../store/mod.ts'
import type { PublishChannel } from '../wire/mod.ts'

export interface MasterParts {
  opts: Dict
  log: Log
  keys: PkiKeys
  bus: EventBus
  jobs: JobStore
  cache: DataCache
  publications: Pick<PublishChannel, 'publish'>
}
