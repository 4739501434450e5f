// The job caches besides the master's own store. `master_job_cache` and `ext_job_cache` name returners that receive jobs;
// `master_job_cache` also receives returns, both through a queue on disk; `event_return` names returners that receive events. `job_cache_files` makes the
// master write jobs as files for Salt's own Python code.
import { join } from 'node:path'
import { shownText, toError } from '../base/mod.ts'
import type { BusEvent, EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { returnerNames, returnerOf } from '../daemon/mod.ts'
import { type Dict, isDict, isList, str, textOf, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import { type CacheEntry, CacheQueueStore, JobFiles } from '../store/mod.ts'
import { CacheQueue, type CacheQueueSettings } from './cache-queue.ts'
import { EventReturn } from './event-return.ts'
import { hasLocalUsers } from './local-keys.ts'
import type { JobListeners, MasterParts } from './parts.ts'

/** The built-in store, which is always used. */
const OWN = 'local_cache'

/** Milliseconds that a publication waits for a job cache to take its job. */
const PATIENCE_MS = 2000

type CacheParts = Pick<MasterParts, 'opts' | 'log' | 'storage'>

/** The jobs for which files are written. */
type FiledJobs = 'all' | 'of Salt' | 'none'

export class JobCaches implements JobListeners {
  private readonly parts: CacheParts
  private readonly host: Host
  private readonly files: JobFiles
  private readonly filed: FiledJobs
  private surroundings: Promise<FunctionContext> | undefined
  private readonly settings: CacheQueueSettings
  private store: CacheQueueStore | undefined
  private readonly queues = new Map<string, CacheQueue>()

  constructor(parts: CacheParts, host: Host, settings: CacheQueueSettings = {}) {
    this.parts = parts
    this.host = host
    this.settings = settings
    const { opts } = parts
    this.files = new JobFiles({
      folder: join(option(opts, 'cachedir'), 'jobs'),
      hashType: option(opts, 'hash_type'),
      isShared: hasLocalUsers(opts),
    })
    this.filed = filedJobs(parts)
  }

  private names(...options: string[]): string[] {
    const named = options.flatMap((option) => returnerNames(this.parts.opts.get(option)))
    return [...new Set(named)].filter((name) => name !== OWN)
  }

  /** The context of returners, made at first use. */
  private context(): Promise<FunctionContext> {
    this.surroundings ??= this.makeContext()
    return this.surroundings
  }

  private async makeContext(): Promise<FunctionContext> {
    const { opts, log } = this.parts
    const { masterMinion } = await import('../orchestrate/mod.ts')
    return (await masterMinion({ opts, host: this.host, log })).ctx
  }

  async published(jid: string, load: Dict, minions: readonly string[], isOfSalt = false): Promise<void> {
    if (this.filed === 'all' || (this.filed === 'of Salt' && isOfSalt)) {
      this.attempt(jid, () => this.files.saveJob({ jid, load, minions }))
    }
    const entry: Omit<CacheEntry, 'id'> = { fun: 'save_load', jid, data: [load, [...minions]] }
    const names = this.names('master_job_cache', 'ext_job_cache')
    await Promise.all(names.map((name) => this.note(name, entry, PATIENCE_MS)))
  }

  /** Put something into the queue of a cache, and wait for a while until the cache has it. */
  private async note(name: string, entry: Omit<CacheEntry, 'id'>, patienceMs: number): Promise<void> {
    try {
      await this.queue(name).note(entry, patienceMs)
    } catch (error) {
      const what = entry.fun === 'save_load' ? 'Job' : 'A return of job'
      const why = toError(error).message
      this.parts.log('error', `${what} ${shownText(entry.jid)} does not reach the job cache ${name}: ${why}`)
    }
  }

  private queue(name: string): CacheQueue {
    const known = this.queues.get(name)
    if (known) return known
    const { opts, log, storage } = this.parts
    this.store ??= new CacheQueueStore(join(option(opts, 'cachedir'), 'job-caches.db'), storage)
    const send = (entry: CacheEntry): Promise<void> => this.send(name, entry)
    const made = new CacheQueue({ name, store: this.store, log, send }, this.settings)
    this.queues.set(name, made)
    return made
  }

  private async send(name: string, { fun, jid, data }: CacheEntry): Promise<void> {
    const ctx = await this.context()
    const found = await returnerOf(ctx, name)
    if (!found?.[fun]) {
      // an entry that the cache cannot take is dropped
      this.parts.log('error', `The returner ${name}.${fun} is not available`)
    } else if (fun === 'save_load') {
      const [load, minions] = isList(data) ? data : []
      const ids = isList(minions ?? null) ? (minions as Value[]).map(str) : []
      await found.save_load!(ctx, jid, withMinions(dictOf(load), ids), ids)
    } else await found.returner!(ctx, dictOf(data))
  }

  /** Send the entries that an earlier process of the master left. */
  private resume(): void {
    for (const name of this.names('master_job_cache', 'ext_job_cache')) this.queue(name).resume()
  }

  /** Stop sending; unsent entries stay on disk. */
  async close(): Promise<void> {
    await Promise.all([...this.queues.values()].map((queue) => queue.close()))
    this.store?.close()
  }

  async returned(event: BusEvent): Promise<void> {
    const field = (name: string): string => textOf(event.fields.get(name) ?? null) ?? ''
    const jid = field('jid')
    if (this.filed !== 'none') {
      this.attempt(jid, () => {
        if (this.files.has(jid)) this.files.saveReturn(jid, field('id'), event.fields)
      })
    }
    for (const name of this.names('master_job_cache')) {
      // write to disk before anything is awaited: the minion then gets its confirmation
      void this.note(name, { fun: 'returner', jid, data: event.data }, 0)
    }
  }

  async prune(olderThanSeconds: number): Promise<void> {
    if (this.filed === 'none') return
    const count = await this.files.prune(olderThanSeconds)
    if (count > 0) this.parts.log('debug', `Removed the files of ${count} old jobs`)
  }

  /** A failed write of these files is only logged: the store has the job, and only Salt's Python reads the files. */
  private attempt(jid: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.parts.log(
        'error',
        `Could not write the files of job ${shownText(jid)} for Salt's Python: ${toError(error).message}`,
      )
    }
  }

  /** Hands events on until the returned function is called. */
  listen(bus: EventBus): () => Promise<void> {
    this.resume()
    return new EventReturn({ ...this.parts, context: () => this.context() }).listen(bus)
  }
}

const dictOf = (value: Value | undefined): Dict => (isDict(value ?? null) ? (value as Dict) : new Map())

/** Return a load with the ids of its minions; the runner `jobs` reads them from a cache that several masters share. */
const withMinions = (load: Dict, ids: readonly string[]): Dict =>
  ids.length === 0 ? load : new Map(load).set('Minions', [...ids].sort())

/** Salt's Python looks for files only where `master_job_cache` is the usual one. */
function filedJobs({ opts, log }: CacheParts): FiledJobs {
  const wanted = option(opts, 'job_cache_files')
  if (wanted === false || option(opts, 'master_job_cache') !== OWN) return 'none'
  if (wanted === true) return 'all'
  if (wanted !== 'auto')
    log('warning', `job_cache_files is ${shownText(str(wanted))} and not auto, True or False: taken as auto`)
  return 'of Salt'
}
