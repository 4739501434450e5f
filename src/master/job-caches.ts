// Job caches besides the master's own store: `master_job_cache` and `ext_job_cache` name returners that hear of jobs, the
// first of returns too; `event_return` names those that hear of events.
import type { BusEvent, EventBus } from '../bus/mod.ts'
import { handTo, returnerNames } from '../client/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import { masterMinion } from '../orchestrate/mod.ts'
import type { FunctionContext } from '../sdk/mod.ts'
import { EventReturn } from './event-return.ts'
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

  /** Hands events on until the returned function is called. */
  listen(bus: EventBus): () => Promise<void> {
    return new EventReturn({ ...this.parts, context: () => this.context() }).listen(bus)
  }
}
