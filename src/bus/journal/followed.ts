// Events from a position in the journal on, then live events, each once. Events from before the subscription are read
// from the journal. The bus itself sends events that a slow reader missed from the journal.
import type { BusEvent, EventFilter } from '../event-bus.ts'
import type { EventTap } from '../event-stream.ts'
import type { JournalReader } from './reader.ts'
import type { Beginning } from './segments.ts'

export interface Following {
  journal: JournalReader
  from: Beginning
  filter: EventFilter
}

/** The source of live events. */
export interface LiveEvents extends EventTap {
  /** The number of the last event that came before. */
  readonly last: number
}

export class FollowedEvents implements EventTap {
  private readonly live: LiveEvents
  private readonly following: Following
  private past: Generator<BusEvent> | undefined
  private seen = 0

  constructor(live: LiveEvents, following: Following) {
    this.live = live
    this.following = following
    this.past = this.read(following.from, live.last)
  }

  get isOpen(): boolean {
    return this.past !== undefined || this.live.isOpen
  }

  async next(seconds: number): Promise<BusEvent | undefined> {
    for (;;) {
      const event = this.nextPast() ?? (await this.live.next(seconds))
      if (!event) return undefined
      if (event.number <= this.seen) continue
      this.seen = event.number
      return event
    }
  }

  close(): void {
    this.past = undefined
    this.live.close()
  }

  private read(from: Beginning, upTo: number): Generator<BusEvent> {
    return this.following.journal.from(from, { upTo, filter: this.following.filter })
  }

  private nextPast(): BusEvent | undefined {
    const next = this.past?.next()
    if (next && !next.done) return next.value
    this.past = undefined
    return undefined
  }
}
