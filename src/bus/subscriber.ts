// One who listens at the socket of a bus. Salt's listeners send nothing and get every event; one of ours may say which tags it
// wants, and gets events with their numbers then. Who does not read misses events, and is told how many when it reads again.
import type { Socket } from 'node:net'
import { type Log, toError } from '../base/mod.ts'
import { type Dict, encodeMsgpack, fnmatch, isList, str, type Value } from '../data/mod.ts'
import { decodeEvent, EventFrames, framePacked, numberFrame } from '../wire/mod.ts'
import { type BusEvent, stamp } from './event-bus.ts'

/** What a listener says, what it is answered, and what one is told that fell behind. */
export const SUBSCRIBE = 'salt/event/subscribe'
export const SUBSCRIBED = 'salt/event/subscribed'
export const MISSED = 'salt/event/missed'

export interface SubscriberParts {
  socket: Socket
  /** Bytes that may wait for it. */
  mostWaiting: number
  log: Log
  /** The number of the last event. */
  last(): number
  /** Resolves when it can be read from the journal. */
  kept(): Promise<void>
}

export class Subscriber {
  private readonly parts: SubscriberParts
  private patterns: string[] | undefined
  /** Events up to this number are not sent: they are read from the journal. */
  private after = 0
  private missed = 0
  private firstMissed = 0
  private lastMissed = 0

  constructor(parts: SubscriberParts) {
    this.parts = parts
    const { socket, log } = parts
    const frames = new EventFrames()
    socket.on('data', (chunk) => {
      try {
        for (const body of frames.push(chunk)) this.hear(decodeEvent(body))
      } catch (error) {
        log('error', `Refused what a listener of the event bus said: ${toError(error).message}`)
        socket.destroy()
      }
    })
    socket.on('drain', () => this.catchUp())
  }

  private hear({ tag, data }: { tag: string; data: Dict }): void {
    if (tag !== SUBSCRIBE) throw new Error(`a listener does not send ${tag}`)
    const tags = data.get('tags')
    this.patterns = tags !== undefined && isList(tags) && tags.length > 0 ? tags.map(str) : ['*']
    const last = this.parts.last()
    this.after = last
    void this.parts.kept().then(() => this.tell(SUBSCRIBED, new Map([['last', last]])))
  }

  /** `all` gives the frames of the events as they are, which most listeners get. */
  send(events: readonly BusEvent[], all: () => Buffer): void {
    const wanted = this.patterns ? events.filter((event) => this.wants(event)) : events
    if (wanted.length === 0) return
    const { socket, mostWaiting, log } = this.parts
    if (socket.writableLength > (this.missed > 0 ? 0 : mostWaiting)) {
      if (this.missed === 0) {
        log(
          'warning',
          `A listener of the event bus does not read: it misses events, ${socket.writableLength} bytes wait`,
        )
        this.firstMissed = wanted[0]!.number
      }
      this.missed += wanted.length
      this.lastMissed = wanted.at(-1)!.number
      return
    }
    this.catchUp()
    socket.write(this.patterns ? Buffer.concat(wanted.map(({ frame, number }) => numberFrame(frame, number))) : all())
  }

  private wants({ tag, number }: BusEvent): boolean {
    return number > this.after && this.patterns!.some((pattern) => fnmatch(tag, pattern))
  }

  private catchUp(): void {
    if (this.missed === 0) return
    const data = new Map<Value, Value>([['missed', this.missed]])
    this.missed = 0
    this.tell(MISSED, data.set('first', this.firstMissed).set('last', this.lastMissed))
  }

  /** An event for this listener alone. */
  private tell(tag: string, data: Dict): void {
    const { socket } = this.parts
    if (socket.writable) socket.write(framePacked(tag, encodeMsgpack(data.set('_stamp', stamp()), 'bus')))
  }
}
