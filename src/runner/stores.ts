// The stores of a master: each is opened at its first use, and closed by the owner of this object.
import { join } from 'node:path'
import type { Log } from '../base/mod.ts'
import { JournalReader, journalFolder } from '../bus/mod.ts'
import { type Dict, str } from '../data/mod.ts'
import type { MasterStores } from '../sdk/mod.ts'
import {
  type DataCache,
  type JobStore,
  OrchestrationStore,
  type PkiKeys,
  QueueStore,
  ReactionStore,
  type SharedBanks,
  SqliteJobs,
  type StorageUse,
} from '../store/mod.ts'
import { cacheBanks, type OpenedCache } from './data-cache.ts'

export interface StoreParts {
  opts: Dict
  keys: PkiKeys
  cache: OpenedCache
  log: Log
  /** The open job store of a running master; otherwise the file of the job store is opened. */
  jobs?: JobStore
  /** How the stores that are opened here use the disk. */
  storage?: StorageUse
}

export class OpenedStores implements MasterStores {
  readonly keys: PkiKeys
  readonly cache: DataCache
  private readonly parts: StoreParts
  private readonly opened = new Map<string, { close(): void }>()

  constructor(parts: StoreParts) {
    this.parts = parts
    this.keys = parts.keys
    this.cache = parts.cache.cache
  }

  get jobs(): JobStore {
    return this.parts.jobs ?? this.once('jobs', () => new SqliteJobs(this.file('jobs.db')))
  }

  orchestrations(): OrchestrationStore {
    return this.once('orchestrations', () => new OrchestrationStore(this.file('orchestrations.db')))
  }

  queues(): QueueStore {
    return this.once('queues', () => new QueueStore(str(this.parts.opts.get('sqlite_queue_dir')!)))
  }

  reactions(): ReactionStore {
    return this.once('reactions', () => new ReactionStore(this.file('reactions.db'), this.parts.storage))
  }

  journal(): JournalReader {
    return new JournalReader(journalFolder(this.parts.opts), () => this.jobs)
  }

  cacheBanks(driver: string): Promise<SharedBanks | undefined> {
    return cacheBanks(driver, this.parts)
  }

  /** Wait until changes of the cache are visible to others, up to a limit. */
  settled(): Promise<void> {
    return this.parts.cache.settled()
  }

  close(): void {
    for (const store of this.opened.values()) store.close()
    this.opened.clear()
  }

  private once<T extends { close(): void }>(name: string, open: () => T): T {
    const known = this.opened.get(name) as T | undefined
    if (known) return known
    const store = open()
    this.opened.set(name, store)
    return store
  }

  private file(name: string): string {
    return join(str(this.parts.opts.get('cachedir')!), name)
  }
}
