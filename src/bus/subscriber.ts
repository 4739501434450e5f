// One listener at the socket of a bus. Salt's listeners send nothing and get every event; Brine's listeners may send
// the tags that they want, and get numbered events. A listener that reads too slowly gets the rest from the journal at
// its own pace. If the journal is off or has dropped those events, the listener gets the number of missed events.
import type { Socket } from 'node:net'
import { type Log, ownMemory, toError } from '../base/mod.ts'
import { type Dict, dictFrom, fnmatch, isList, str } from '../data/mod.ts'
import { decodeEvent, EventFrames, frameEvent, numberFrame } from '../wire/mod.ts'
import { type BusEvent, stamp } from './event-bus.ts'
import { frameHead } from './origin.ts'

/** The request of a listener, the answer to it, and the notice to a listener that fell behind. */
export const SUBSCRIBE = 'salt/event/subscribe'
export const SUBSCRIBED = 'salt/event/subscribed'
export const MISSED = 'salt/event/missed'

/** An event as it goes to a listener. */
export type FramedEvent = Pick<BusEvent, 'origin' | 'tag' | 'number' | 'frame'>

/** Events out of the journal, from a number up to another, both included. */
export type PastEvents = (from: number, upTo: number) => Iterable<FramedEvent>

export interface SubscriberParts {
  socket: Socket
  /** Bytes that may wait for it. */
  mostWaiting: number
  past: PastEvents
  log: Log
  /** The number of the last event. */
  last(): number
  /** Resolves when it can be read from the journal. */
  kept(): Promise<unknown>
}

/** Frames of this size, in bytes, are written separately; smaller ones are copied together. */
const LONG = 2048

/** The same bytes in few pieces. */
export function joined(frames: readonly Buffer[]): Buffer[] {
  const pieces: Buffer[] = []
  let from = 0
  const join = (to: number): void => {
    if (to - from === 1) pieces.push(frames[from]!)
    else if (to > from) pieces.push(Buffer.concat(frames.slice(from, to)))
  }
  for (const [index, frame] of frames.entries()) {
    if (frame.length < LONG) continue
    join(index)
    pieces.push(frame)
    from = index + 1
  }
  join(frames.length)
  return pieces
}

/** Limits for one request of a listener for tags, in bytes and values. */
const MOST_ASKED_BYTES = 1 << 18
const MOST_ASKED_VALUES = 1000

export class EventSubscriber {
  private readonly parts: SubscriberParts
  private patterns: string[] | undefined
  /** Events up to this number are not sent: the listener already has them, or gets them from the journal. */
  private after = 0
  /** The first event that it lacks, when it fell behind. */
  private behind: number | undefined
  private isCatchingUp = false

  constructor(parts: SubscriberParts) {
    this.parts = parts
    const { socket } = parts
    const frames = new EventFrames(MOST_ASKED_BYTES)
    socket.on('data', (chunk) => {
      try {
        for (const body of frames.push(chunk)) this.hear(decodeEvent(body, { maxValues: MOST_ASKED_VALUES }))
      } catch (error) {
        this.refuse('what a listener of the event bus said', error)
      }
    })
    socket.on('drain', () => void this.catchUp().catch((error) => this.refuse('to go on from the journal', error)))
  }

  private refuse(what: string, error: unknown): void {
    this.parts.log('error', `Refused ${what}: ${toError(error).message}`)
    this.parts.socket.destroy()
  }

  private hear({ tag, data }: { tag: string; data: Dict }): void {
    if (tag !== SUBSCRIBE) throw new Error(`a listener does not send ${tag}`)
    const tags = data.get('tags')
    this.patterns = tags !== undefined && isList(tags) && tags.length > 0 ? tags.map(str) : ['*']
    const last = this.parts.last()
    this.after = last
    this.parts.kept().then(
      () => this.tell(SUBSCRIBED, new Map([['last', last]])),
      (error: unknown) => this.refuse('a listener of the event bus', error),
    )
  }

  /** Send events. `all` returns the unfiltered frames, which most listeners get. */
  send(events: readonly BusEvent[], all: () => readonly Buffer[]): void {
    if (this.behind !== undefined) return
    const isPlain = this.patterns === undefined && events[0]!.number > this.after
    const wanted = isPlain ? events : events.filter((event) => this.wants(event))
    if (wanted.length === 0) return
    const { socket, mostWaiting, log } = this.parts
    if (socket.writableLength > mostWaiting) {
      log('info', `A listener of the event bus reads too slowly: ${socket.writableLength} bytes wait`)
      this.behind = wanted[0]!.number
      return
    }
    const pieces = isPlain ? all() : joined(wanted.map((event) => this.bytesFor(event)))
    const isWaiting = socket.writableNeedDrain
    socket.cork()
    for (const bytes of pieces) socket.write(isWaiting ? ownMemory(bytes) : bytes)
    socket.uncork()
  }

  private wants({ tag, number }: FramedEvent): boolean {
    if (number <= this.after) return false
    return this.patterns === undefined || this.patterns.some((pattern) => fnmatch(tag, pattern))
  }

  private bytesFor({ frame, number, origin }: FramedEvent): Buffer {
    return this.patterns ? numberFrame(frame, number, frameHead(origin)) : frame
  }

  /** Send the missed events from the journal, then live events. */
  private async catchUp(): Promise<void> {
    if (this.behind === undefined || this.isCatchingUp) return
    const { socket, last, kept } = this.parts
    this.isCatchingUp = true
    try {
      while (this.behind !== undefined && socket.writable && !socket.writableNeedDrain) {
        const upTo = last()
        await kept()
        if (this.replay(upTo) && last() === upTo) {
          this.behind = undefined
          this.after = upTo
        }
      }
    } finally {
      this.isCatchingUp = false
    }
  }

  /** Send events from the journal while the listener's buffer has room; return whether all were sent. */
  private replay(upTo: number): boolean {
    const { socket, mostWaiting, past } = this.parts
    for (const event of past(this.behind!, upTo)) {
      this.miss(event.number - 1)
      this.behind = event.number + 1
      if (this.wants(event)) socket.write(this.bytesFor(event))
      if (socket.writableLength > mostWaiting / 2) return false
    }
    this.miss(upTo)
    return true
  }

  /** Events up to this number cannot be had. */
  private miss(last: number): void {
    const first = this.behind!
    if (last < first) return
    this.behind = last + 1
    this.parts.log('warning', `A listener of the event bus missed ${last - first + 1} events: it read too slowly`)
    this.tell(MISSED, dictFrom({ missed: last - first + 1, first, last }))
  }

  /** An event for this listener alone. */
  private tell(tag: string, data: Dict): void {
    const { socket } = this.parts
    if (socket.writable) socket.write(frameEvent(tag, data.set('_stamp', stamp())).frame)
  }
}
