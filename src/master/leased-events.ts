// Events for work that one master of a cluster does: the holder of a lease. The other masters keep the events that the
// holder may not have processed, and process them when they take the lease over.
import type { BusEvent, EventBus } from '../bus/mod.ts'
import type { Cluster } from '../cluster/mod.ts'
import { type Dict, numberOf } from '../data/mod.ts'

/** Events that are kept for the case that the holder dies. */
const MOST_KEPT = 10_000
const LOOK_MS = 500

interface Kept {
  event: BusEvent
  /** The position in the log; undefined for an own event that is not appended yet. */
  place: number | undefined
}

export class LeasedEvents {
  private readonly cluster: Cluster
  private readonly bus: EventBus
  private readonly lease: string
  private readonly timer: NodeJS.Timeout
  private kept: Kept[] = []
  private hear: ((event: BusEvent) => void) | undefined
  /** Up to where another holder has worked. */
  private done = 0
  /** Up to where this master has worked, with everything that came of it in the log. */
  private sure = 0
  private isNoting = false

  constructor(cluster: Cluster, bus: EventBus, lease: string) {
    this.cluster = cluster
    this.bus = bus
    this.lease = lease
    cluster.want(lease, (): Dict => new Map([['place', this.sure]]))
    this.timer = setInterval(() => this.work(), LOOK_MS).unref()
  }

  /** The bus as the work sees it. */
  view(): EventBus {
    const { bus } = this
    const view = Object.create(bus) as EventBus
    for (const name of ['fire', 'fireFrom', 'tell', 'next'] as const) {
      Object.defineProperty(view, name, { value: bus[name].bind(bus) })
    }
    const listen: EventBus['listen'] = (hear, filter) => {
      this.hear = hear
      const stop = bus.listen((event) => this.take(event), filter)
      return () => {
        clearInterval(this.timer)
        stop()
      }
    }
    Object.defineProperty(view, 'listen', { value: listen })
    return view
  }

  /** Note the position of an own event in the log. */
  placed(mark: string): void {
    const kept = this.kept.find(({ event }) => event.mark === mark)
    if (kept) kept.place = this.cluster.logPlace + 1
  }

  /** Forget events whose reaction is in the log. */
  claimed(marks: ReadonlySet<string>): void {
    this.kept = this.kept.filter(({ event: { mark } }) => mark === undefined || !marks.has(mark))
  }

  private take(event: BusEvent): void {
    // an event of this master alone
    if (event.mark === undefined) {
      this.hear?.(event)
      return
    }
    this.look()
    if (this.cluster.holds(this.lease)) {
      this.hear?.(event)
      return
    }
    this.kept.push({ event, place: event.isForeign ? this.cluster.logPlace + 1 : undefined })
    if (this.kept.length > MOST_KEPT) this.kept.shift()
  }

  private look(): void {
    const { membership } = this.cluster
    const note = membership?.note(this.lease)
    if (note?.get('writer') !== this.cluster.writer) this.done = numberOf(note?.get('place') ?? this.done) ?? this.done
    this.kept = this.kept.filter(({ place }) => place === undefined || place > this.done)
    if (!this.cluster.holds(this.lease)) return
    for (const { event } of this.kept.splice(0)) this.hear?.(event)
  }

  /** Look, and note the position up to which events are heard when the log has the records of their reactions. */
  private work(): void {
    this.look()
    const place = this.cluster.logPlace
    if (place <= this.sure || this.isNoting || !this.cluster.holds(this.lease)) return
    this.isNoting = true
    const over = (): void => {
      this.isNoting = false
    }
    this.cluster
      .flushed()
      .then(() => {
        this.sure = Math.max(this.sure, place)
      })
      .then(over, over)
  }
}
