// The job caches besides the master's own store. `master_job_cache` and `ext_job_cache` name returners that receive jobs;
// `master_job_cache` also receives returns; `event_return` names returners that receive events. `job_cache_files` makes the
// master write jobs as files for Salt's own Python code.
import { join } from 'node:path'
import { shownText, toError } from '../base/mod.ts'
import type { BusEvent, EventBus } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import { handTo, returnerNames } from '../daemon/mod.ts'
import { type Dict, str, textOf } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { masterMinion } from '../orchestrate/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import { JobFiles } from '../store/mod.ts'
import { EventReturn } from './event-return.ts'
import { hasLocalUsers } from './local-keys.ts'
import type { JobListeners, MasterParts } from './parts.ts'

/** The store that is there anyway. */
const OWN = 'local_cache'

type CacheParts = Pick<MasterParts, 'opts' | 'log'>

/** Of which jobs files are written. */
type FiledJobs = 'all' | 'of Salt' | 'none'

export class JobCaches implements JobListeners {
  private readonly parts: CacheParts
  private readonly host: Host
  private readonly files: JobFiles
  private readonly filed: FiledJobs
  private surroundings: Promise<FunctionContext> | undefined

  constructor(parts: CacheParts, host: Host) {
    this.parts = parts
    this.host = host
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

  /** What returners see, made when the first is needed. */
  private context(): Promise<FunctionContext> {
    const { opts, log } = this.parts
    this.surroundings ??= masterMinion({ opts, host: this.host, log }).then(({ ctx }) => ctx)
    return this.surroundings
  }

  async published(jid: string, load: Dict, minions: readonly string[], isOfSalt = false): Promise<void> {
    if (this.filed === 'all' || (this.filed === 'of Salt' && isOfSalt)) {
      this.attempt(jid, () => this.files.saveJob({ jid, load, minions }))
    }
    for (const name of this.names('master_job_cache', 'ext_job_cache')) {
      await handTo(await this.context(), name, 'save_load', jid, load, minions)
    }
  }

  async returned(event: BusEvent): Promise<void> {
    const field = (name: string): string => textOf(event.fields.get(name) ?? null) ?? ''
    const jid = field('jid')
    if (this.filed !== 'none') {
      this.attempt(jid, () => {
        if (this.files.has(jid)) this.files.saveReturn(jid, field('id'), event.fields)
      })
    }
    for (const name of this.names('master_job_cache')) await handTo(await this.context(), name, 'returner', event.data)
  }

  async prune(olderThanSeconds: number): Promise<void> {
    if (this.filed === 'none') return
    const count = await this.files.prune(olderThanSeconds)
    if (count > 0) this.parts.log('debug', `Removed the files of ${count} old jobs`)
  }

  /** Only Salt's Python misses a file that cannot be written: the store has the job. */
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
    return new EventReturn({ ...this.parts, context: () => this.context() }).listen(bus)
  }
}

/** Salt's Python looks for files only where `master_job_cache` is the usual one. */
function filedJobs({ opts, log }: CacheParts): FiledJobs {
  const wanted = option(opts, 'job_cache_files')
  if (wanted === false || option(opts, 'master_job_cache') !== OWN) return 'none'
  if (wanted === true) return 'all'
  if (wanted !== 'auto')
    log('warning', `job_cache_files is ${shownText(str(wanted))} and not auto, True or False: taken as auto`)
  return 'of Salt'
}
