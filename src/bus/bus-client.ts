// How a program reaches the bus of a daemon on its machine: it reads every event from one socket, and fires through the
// other. Events that come before somebody asks for them wait.
import { createConnection, type Socket } from 'node:net'
import { BrineError, toError } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { decodeEvent, EventFrames, encodeEvent, eventTag, frameFiredEvent } from '../wire/mod.ts'
import { BusEvent, type EventFilter, stamp } from './event-bus.ts'
import type { BusPaths } from './paths.ts'

export interface BusClientOptions {
  paths: BusPaths
  /** Which events are wanted; the others are not even decoded. */
  filter?: EventFilter
}

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

export class BusClient {
  private readonly socket: Socket
  private readonly waiting: BusEvent[] = []
  private wake: (() => void) | undefined
  private filter: EventFilter | undefined
  /** Why there will be no more events. */
  private ended: Error | undefined

  static async open({ paths, filter }: BusClientOptions): Promise<BusClient> {
    return new BusClient(await connected(paths.pub), filter)
  }

  private constructor(socket: Socket, filter: EventFilter | undefined) {
    this.socket = socket
    this.filter = filter
    const frames = new EventFrames()
    socket.on('data', (chunk) => {
      try {
        for (const body of frames.push(chunk)) this.take(body)
      } catch (error) {
        this.end(toError(error))
      }
    })
    socket.on('error', (error) => this.end(error))
    socket.on('close', () => this.end(new BrineError('BusClosed', 'The event bus was closed')))
  }

  /** Which events are wanted from now on. */
  want(filter: EventFilter): void {
    this.filter = filter
  }

  get isOpen(): boolean {
    return this.ended === undefined
  }

  /** The next event, or undefined when none comes within the seconds or the bus is gone. */
  async next(seconds: number): Promise<BusEvent | undefined> {
    const until = performance.now() + seconds * 1000
    for (;;) {
      const event = this.waiting.shift()
      if (event) return event
      const left = until - performance.now()
      if (left <= 0 || this.ended) return undefined
      await new Promise<void>((done) => {
        const timer = setTimeout(done, left)
        this.wake = () => {
          clearTimeout(timer)
          done()
        }
      })
      this.wake = undefined
    }
  }

  close(): void {
    this.end(new BrineError('BusClosed', 'The event bus was closed'))
    this.socket.destroy()
  }

  private take(body: Uint8Array): void {
    if (this.filter && !this.filter(eventTag(body))) return
    const { tag, data } = decodeEvent(body)
    this.waiting.push(new BusEvent(tag, data))
    this.wake?.()
  }

  private end(error: Error): void {
    this.ended ??= error
    this.wake?.()
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
