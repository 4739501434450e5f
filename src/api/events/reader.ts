// One reader of events, which takes batches at its own pace. It gets every event from its start on, in order, from the
// hub or from the journal; for events that neither has, it gets their numbers.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { HubEvent } from './hub-event.ts'

/** The source of events for readers. */
export interface ReaderSource {
  /** The number of the last event; 0 while that is not known. */
  readonly last: number
  readonly hasJournal: boolean
  /** Return the first kept event from a number on, and its place. */
  find(number: number): { at: number; event: HubEvent | undefined }
  /** Return the kept event of a place. */
  at(place: number): HubEvent | undefined
  /** Return past events from a number on; empty if there are none yet. */
  past(number: number): readonly HubEvent[]
  /** Count events that a reader missed. */
  noteMissed(count: number): void
  /** Forget a reader that is closed. */
  forget(reader: EventReader): void
}

/** A gap: events that a reader missed and that the journal does not have. */
export interface Missed {
  first: number
  last: number
}

export interface ReaderSettings {
  /** The user that reads. */
  user: string
  /** The number of the reader's last event; undefined to begin with new events. */
  after?: number | undefined
  /** Whether the reader wants an event, and may see it. */
  wants(event: HubEvent): boolean
  /** Whether the reader may continue; called before each batch. Undefined if that is not known now. */
  mayGoOn(): boolean | undefined | Promise<boolean | undefined>
  /** Called once when the reader is closed; `isStuck` when that is because it took nothing. */
  closed?(isStuck: boolean): void
}

export interface EventBatch {
  missed?: Missed
  /** None where nothing came for the reader for a while. */
  events: readonly HubEvent[]
}

/**
 * Limits of a batch in events and bytes. A reader that takes nothing holds one batch, so this bounds the memory of many
 * such readers.
 */
const BATCH_EVENTS = 256
const BATCH_BYTES = 32 * 1024

/** Milliseconds without an event for the reader after which it gets an empty batch. */
const IDLE_MS = 15_000

/** The journal is written a moment after events come: how often it is looked for an event that it lacks, and when. */
const LOOKS = 50
const LOOK_MS = 100

/** Milliseconds after which a reader's permission is checked again. */
const ASK_MS = 1000

export class EventReader {
  readonly user: string
  private readonly hub: ReaderSource
  private readonly settings: ReaderSettings
  /** The number of the event that comes next; 0 while the hub knows no number. */
  private next: number
  private looks = 0
  private isClosed = false
  /** When the last batch was given; undefined while the reader waits for one. */
  private givenAt: number | undefined
  private waker: (() => void) | undefined

  constructor(hub: ReaderSource, settings: ReaderSettings) {
    this.hub = hub
    this.settings = settings
    this.user = settings.user
    const now = hub.last === 0 ? 0 : hub.last + 1
    // a number from another journal: begin with new events
    this.next = settings.after === undefined || (now > 0 && settings.after >= now) ? now : settings.after + 1
    this.givenAt = performance.now()
  }

  /** The number of the last event that passed. */
  get position(): number {
    return Math.max(0, this.next - 1)
  }

  /** The number of events that the reader has not taken yet. */
  get lag(): number {
    return this.next === 0 ? 0 : Math.max(0, this.hub.last - this.position)
  }

  isStuck(before: number): boolean {
    return this.givenAt !== undefined && this.givenAt < before && this.lag > 0
  }

  /** Begin at a number, because the hub knew none before or `isAnew`. */
  beginAt(number: number, isAnew: boolean): void {
    if (isAnew || this.next === 0 || this.next > number) this.next = number
  }

  wake(): void {
    this.waker?.()
  }

  close(isStuck = false): void {
    if (this.isClosed) return
    this.isClosed = true
    this.hub.forget(this)
    this.wake()
    this.settings.closed?.(isStuck)
  }

  /** Return the next batch; undefined at the end. */
  async take(): Promise<EventBatch | undefined> {
    this.givenAt = undefined
    const idleAt = performance.now() + IDLE_MS
    try {
      while (!this.isClosed) {
        const mayGoOn = await this.settings.mayGoOn()
        if (mayGoOn === undefined) await sleep(ASK_MS)
        if (mayGoOn === false) this.close()
        if (!mayGoOn || this.isClosed) continue
        const batch = await this.batch()
        if (batch) return batch
        if (this.isClosed) return undefined
        // events that the reader does not want: others get their turn
        if (this.lag > 0) await turn()
        else await this.pause(idleAt - performance.now())
        if (performance.now() >= idleAt) return { events: [] }
      }
      return undefined
    } finally {
      this.givenAt = performance.now()
    }
  }

  /** Wait for an event, so many milliseconds at most. */
  private pause(most: number): Promise<void> {
    return new Promise((done) => {
      const finish = (): void => {
        clearTimeout(timer)
        this.waker = undefined
        done()
      }
      const timer = setTimeout(finish, most)
      this.waker = finish
    })
  }

  private async batch(): Promise<EventBatch | undefined> {
    if (this.next === 0 || this.lag === 0) return undefined
    const { at, event } = this.hub.find(this.next)
    if (event?.number === this.next) return this.filtered(this.upToGap((index) => this.hub.at(at + index)))
    return this.past(event?.number ?? this.hub.last + 1)
  }

  /** Take the events of a batch, up to the first gap in their numbers. */
  private upToGap(at: (index: number) => HubEvent | undefined): HubEvent[] {
    const events: HubEvent[] = []
    for (let bytes = 0; events.length < BATCH_EVENTS && bytes < BATCH_BYTES; ) {
      const event = at(events.length)
      if (event?.number !== this.next) break
      this.next++
      bytes += event.size
      events.push(event)
    }
    return events
  }

  /** Return events of the journal, up to the first one in the hub. */
  private async past(upTo: number): Promise<EventBatch | undefined> {
    const page = this.hub.past(this.next)
    const first = page[0]?.number ?? Number.POSITIVE_INFINITY
    if (page.length === 0 && this.hub.hasJournal && ++this.looks <= LOOKS) {
      await sleep(LOOK_MS)
      return undefined
    }
    this.looks = 0
    if (first > this.next) return this.miss(Math.min(first, upTo) - 1)
    return this.filtered(this.upToGap((index) => page[index]))
  }

  private miss(last: number): EventBatch {
    const missed = { first: this.next, last }
    this.next = last + 1
    this.hub.noteMissed(last - missed.first + 1)
    return { missed, events: [] }
  }

  private filtered(events: readonly HubEvent[]): EventBatch | undefined {
    const wanted = events.filter((event) => this.settings.wants(event))
    return wanted.length > 0 ? { events: wanted } : undefined
  }
}
