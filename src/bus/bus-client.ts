// Client of the event bus of a daemon on this machine: it reads events from one socket and fires events through the
// other. Events that arrive before the caller reads them wait in a queue.
import { createConnection, type Socket } from 'node:net'
import { BrineError } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import {
  decodeEvent,
  EventFrames,
  type EventReading,
  encodeEvent,
  eventTag,
  frameFiredEvent,
  type HeadedBody,
} from '../wire/mod.ts'
import { BusEvent, type EventFilter, stamp } from './event-bus.ts'
import { EventQueue } from './event-queue.ts'
import { readOrigin } from './origin.ts'
import type { BusPaths } from './paths.ts'
import { MISSED, SUBSCRIBE, SUBSCRIBED } from './subscriber.ts'

export interface BusClientOptions {
  paths: BusPaths
  /** Which events the caller reads; other events are not decoded. */
  filter?: EventFilter
  /** Globs of tags: the others are not even sent. A bus of Salt's own does not know of it. */
  tags?: readonly string[]
  /**
   * Whether returns of minions and of functions of the master stay packed, for readers that only pass most of them on.
   */
  leavesPacked?: boolean
}

const RETURN_PACKED: EventReading = { leavesPacked: (key) => key === 'return' }

/** Events that may wait in this process. Beyond that, the bus holds further events, within its own limit. */
const MOST_WAITING = 10_000

function connected(path: string): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.off('error', refuse)
      done(socket)
    })
    const refuse = (error: Error): void =>
      fail(
        new BrineError('BusUnreachable', `Could not reach the event bus at ${path}: ${error.message}`, {
          cause: error,
        }),
      )
    socket.once('error', refuse)
  })
}

/** How long a bus may take to confirm the wanted tags. */
const ANSWER_MS = 10_000

export class BusClient {
  private readonly socket: Socket
  private readonly waiting = new EventQueue()
  private filter: EventFilter | undefined
  private readonly reading: EventReading
  /** Whether this client sent the tags that it wants: frames without a number are then not wanted. */
  private isNumbered = false
  private answered: ((last: number) => void) | undefined
  /** The number of the last event before this client listened; 0 for a client without tags. */
  last = 0

  static async open({ paths, filter, tags, leavesPacked = false }: BusClientOptions): Promise<BusClient> {
    const client = new BusClient(await connected(paths.pub), filter, leavesPacked ? RETURN_PACKED : {})
    if (tags) await client.subscribe(tags)
    return client
  }

  private constructor(socket: Socket, filter: EventFilter | undefined, reading: EventReading) {
    this.socket = socket
    this.filter = filter
    this.reading = reading
    const frames = new EventFrames()
    socket.on('data', (chunk) => {
      try {
        for (const headed of frames.pushHeaded(chunk)) this.take(headed)
      } catch {
        // after a broken frame nothing more can be read
        this.waiting.end()
      }
    })
    socket.on('error', () => this.waiting.end())
    socket.on('close', () => this.waiting.end())
  }

  private async subscribe(tags: readonly string[]): Promise<void> {
    this.isNumbered = true
    this.socket.write(frameFiredEvent(encodeEvent(SUBSCRIBE, new Map([['tags', [...tags]]]))))
    this.last = await new Promise<number>((done, fail) => {
      const timer = setTimeout(() => {
        fail(new BrineError('BusMute', 'The event bus did not answer which events it will send'))
        this.close()
      }, ANSWER_MS)
      const lost = (): void => {
        clearTimeout(timer)
        fail(new BrineError('BusUnreachable', 'The event bus went away before it said which events it will send'))
      }
      this.socket.once('close', lost)
      this.answered = (last) => {
        clearTimeout(timer)
        this.socket.off('close', lost)
        done(last)
      }
    })
  }

  /** Set the events that the client wants from now on. */
  want(filter: EventFilter): void {
    this.filter = filter
  }

  get isOpen(): boolean {
    return this.waiting.isOpen
  }

  /** The next event, or undefined when none comes within the seconds or the bus is gone. */
  async next(seconds: number): Promise<BusEvent | undefined> {
    if (this.waiting.length <= 1) this.socket.resume()
    return this.waiting.next(seconds)
  }

  close(): void {
    this.waiting.end()
    this.socket.destroy()
  }

  private take({ body, number = 0, origin }: HeadedBody): void {
    const tag = eventTag(body)
    // a message of the bus to this listener has no number; events of others under these tags have one
    const isMarker = number === 0 && (tag === MISSED || tag === SUBSCRIBED)
    if (isMarker ? !this.isNumbered : this.isNumbered && number === 0) return
    if (this.filter && !isMarker && !this.filter(tag)) return
    const { data } = decodeEvent(body, this.reading)
    if (isMarker && tag === SUBSCRIBED) {
      this.answered?.(Number(data.get('last') ?? 0))
      return
    }
    this.waiting.put(new BusEvent(readOrigin(origin), tag, data, number))
    if (this.waiting.length >= MOST_WAITING) this.socket.pause()
  }
}

/** Fires one event through the socket of a daemon. */
export async function fireOnce(paths: BusPaths, tag: string, data: Dict): Promise<void> {
  const socket = await connected(paths.pull)
  data.set('_stamp', stamp())
  await new Promise<void>((done, fail) => {
    socket.once('error', fail)
    socket.end(frameFiredEvent(encodeEvent(tag, data)), () => done())
  })
}
