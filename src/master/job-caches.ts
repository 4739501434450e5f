// Job caches besides the master's own store: `master_job_cache` and `ext_job_cache` name returners that hear of jobs, the
// first of returns too; `event_return` names those that hear of events.
import type { BusEvent, EventBus } from '../bus/mod.ts'
import { handTo, returnerNames } from '../client/mod.ts'
import { type Dict, fnmatch, isList, numberOf, str, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { masterMinion } from '../orchestrate/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import type { JobListeners, MasterParts } from './parts.ts'

/** The store that is there anyway. */
const OWN = 'local_cache'

type CacheParts = Pick<MasterParts, 'opts' | 'log'>

export class JobCaches implements JobListeners {
  private readonly parts: CacheParts
  private readonly host: Host
  private surroundings: Promise<FunctionContext> | undefined

  constructor(parts: CacheParts, host: Host) {
    this.parts = parts
    this.host = host
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

  /** A job is about to be published. */
  async published(jid: string, load: Dict, minions: readonly string[]): Promise<void> {
    for (const name of this.names('master_job_cache', 'ext_job_cache')) {
      await handTo(await this.context(), name, 'save_load', jid, load, minions)
    }
  }

  /** A minion has returned. */
  async returned(event: BusEvent): Promise<void> {
    for (const name of this.names('master_job_cache')) await handTo(await this.context(), name, 'returner', event.data)
  }

  /** Hands events on until the returned function is called; those that wait are handed on then. */
  listen(bus: EventBus): () => Promise<void> {
    const names = this.names('event_return')
    if (names.length === 0) return async () => {}
    const { opts } = this.parts
    const most = numberOf(opts.get('event_return_queue') ?? 0) ?? 0
    const seconds = numberOf(opts.get('event_return_queue_max_seconds') ?? 0) ?? 0
    let queue: Dict[] = []
    let handing: Promise<void> = Promise.resolve()
    const flush = (): void => {
      const events = queue
      queue = []
      if (events.length > 0) handing = handing.then(() => this.hand(names, events))
    }
    const end = bus.listen(({ tag, data }) => {
      const event = new Map<Value, Value>([
        ['tag', tag],
        ['data', new Map(data)],
      ])
      queue.push(event)
      if (queue.length > most) flush()
    }, this.wanted())
    const timer = seconds > 0 ? setInterval(flush, seconds * 1000) : undefined
    return async () => {
      end()
      clearInterval(timer)
      flush()
      await handing
    }
  }

  private async hand(names: readonly string[], events: readonly Dict[]): Promise<void> {
    for (const name of names) await handTo(await this.context(), name, 'event_return', events)
  }

  /** `event_return_whitelist` and `event_return_blacklist` are globs of tags. */
  private wanted(): (tag: string) => boolean {
    const globs = (option: string): string[] => {
      const list = this.parts.opts.get(option)
      return list !== undefined && isList(list) ? list.map(str) : []
    }
    const [white, black] = [globs('event_return_whitelist'), globs('event_return_blacklist')]
    const isIn = (list: readonly string[], tag: string): boolean => list.some((glob) => fnmatch(tag, glob))
    return (tag) => (white.length === 0 || isIn(white, tag)) && !isIn(black, tag)
  }
}
