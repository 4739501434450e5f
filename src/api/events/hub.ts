// The events of the master for all readers of the API. The hub keeps the latest events once; a reader is only the
// number of its next event, so that neither many nor slow readers cost memory. A reader whose next event is no longer
// in the hub reads it from the journal.
import type { Log } from '../../base/mod.ts'
import { type BusEvent, hasJournal } from '../../bus/mod.ts'
import { HttpError } from '../errors.ts'
import type { ApiMaster, EventFeed } from '../master.ts'
import { BatchBytes } from './batch-bytes.ts'
import { HubEvent } from './hub-event.ts'
import { JournalPages } from './journal-pages.ts'
import { JobOwners } from './owners.ts'
import { EventReader, type ReaderSettings, type ReaderSource } from './reader.ts'

export interface HubBounds {
  /** Events that are kept, and their bytes. */
  events: number
  bytes: number
  /** Readers of all users, and of one user. */
  readers: number
  readersOfUser: number
  /** Milliseconds after which a reader that takes nothing is closed. */
  stuckMs: number
}

const BOUNDS: HubBounds = { events: 20_000, bytes: 16 << 20, readers: 10_000, readersOfUser: 4000, stuckMs: 60_000 }

export class EventHub implements ReaderSource {
  readonly log: Log
  readonly owners: JobOwners
  readonly hasJournal: boolean
  readonly batches = new BatchBytes()
  /** Events since the hub was opened. */
  total = 0
  /** Events that readers missed since the hub was opened. */
  missed = 0
  private readonly feed: EventFeed
  private readonly bounds: HubBounds
  /** The number of the last event that this hub heard. */
  private heard = 0
  private readonly pages: JournalPages
  private readonly readers = new Set<EventReader>()
  /** The latest events by number; those before `head` are dropped. */
  private kept: HubEvent[] = []
  private head = 0
  private bytes = 0
  private waking: NodeJS.Immediate | undefined
  private readonly stop: () => void
  private readonly sweeping: NodeJS.Timeout

  constructor({ events, access }: Pick<ApiMaster, 'events' | 'access'>, log: Log, bounds: Partial<HubBounds> = {}) {
    this.log = log
    this.bounds = { ...BOUNDS, ...bounds }
    this.owners = new JobOwners(() => access.stores.jobs)
    this.hasJournal = hasJournal(access.opts)
    this.feed = events
    this.pages = new JournalPages((from) => access.stores.journal().from({ number: from }), log)
    this.stop = events.listen((event) => this.hear(event))
    this.sweeping = setInterval(() => this.sweep(), this.bounds.stuckMs / 6)
    this.sweeping.unref()
  }

  /** The number of the last event; 0 while that is not known. */
  get last(): number {
    return Math.max(this.heard, this.feed.last)
  }

  /** Open a reader; throw if there are too many. */
  open(settings: ReaderSettings): EventReader {
    const { readers, readersOfUser } = this.bounds
    const ofUser = [...this.readers].filter(({ user }) => user === settings.user).length
    if (this.readers.size >= readers || ofUser >= readersOfUser)
      throw new HttpError(503, 'Too many streams of events are open; close some of them')
    const reader = new EventReader(this, settings)
    this.readers.add(reader)
    return reader
  }

  forget(reader: EventReader): void {
    this.readers.delete(reader)
    if (this.readers.size === 0) this.clear()
  }

  close(): void {
    this.stop()
    clearInterval(this.sweeping)
    clearImmediate(this.waking)
    for (const reader of [...this.readers]) reader.close()
    this.pages.close()
  }

  /** Return the number of readers, the lag of the slowest in events, and the size of the hub. */
  get state(): { readers: number; lag: number; events: number; bytes: number } {
    let lag = 0
    for (const { lag: own } of this.readers) lag = Math.max(lag, own)
    return { readers: this.readers.size, lag, events: this.kept.length - this.head, bytes: this.bytes }
  }

  find(number: number): { at: number; event: HubEvent | undefined } {
    let [low, high] = [this.head, this.kept.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.kept[middle]!.number < number) low = middle + 1
      else high = middle
    }
    return { at: low, event: this.kept[low] }
  }

  at(place: number): HubEvent | undefined {
    return this.kept[place]
  }

  noteMissed(count: number): void {
    this.missed += count
  }

  past(number: number): readonly HubEvent[] {
    return this.hasJournal ? this.pages.page(number) : []
  }

  private hear(event: BusEvent): void {
    // a message of the bus to this listener, such as about missed events, has no number
    if (event.number === 0) return
    this.total++
    this.owners.learn(event)
    if (event.number <= this.heard || this.heard === 0) this.beginAt(event.number)
    this.heard = event.number
    if (this.readers.size === 0) return
    const kept = new HubEvent(event, this.log)
    this.kept.push(kept)
    this.bytes += kept.size
    this.trim()
    this.wake()
  }

  /** Let readers check for events and for their permission. */
  wake(): void {
    this.waking ??= setImmediate(() => {
      this.waking = undefined
      for (const reader of this.readers) reader.wake()
    })
  }

  /** The numbers of events are known only now, or begin anew because the journal of the master was removed. */
  private beginAt(number: number): void {
    this.clear()
    this.pages.close()
    for (const reader of this.readers) reader.beginAt(number, this.heard !== 0)
  }

  private clear(): void {
    this.kept = []
    this.head = this.bytes = 0
    this.batches.clear()
  }

  private trim(): void {
    const { events, bytes } = this.bounds
    while (this.kept.length - this.head > 1 && (this.kept.length - this.head > events || this.bytes > bytes))
      this.bytes -= this.kept[this.head++]!.size
    if (this.head < 1024 || this.head * 8 < this.kept.length) return
    this.kept = this.kept.slice(this.head)
    this.head = 0
  }

  /** Close readers that take nothing. */
  private sweep(): void {
    const now = performance.now()
    for (const reader of [...this.readers]) {
      if (!reader.isStuck(now - this.bounds.stuckMs)) continue
      this.log('info', `Closing a stream of events of ${reader.user}: its reader takes nothing`)
      reader.close(true)
    }
  }
}
