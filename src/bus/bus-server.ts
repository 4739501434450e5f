// The two sockets of a bus. The publish socket sends every event to each listener. The bus fires each event that arrives at the
// pull socket, with the owner of that socket as its origin. A listener that does not read delays no other listener and holds
// a bounded amount of memory.
import type { Server, Socket } from 'node:net'
import { userInfo } from 'node:os'
import { type Log, shownText, silentLog, toError } from '../base/mod.ts'
import { decodeEvent, EventFrames, type EventReading } from '../wire/mod.ts'
import type { BusEvent, EventBus } from './event-bus.ts'
import { closeLocal, serveLocal } from './local-socket.ts'
import type { Origin } from './origin.ts'
import type { BusPaths } from './paths.ts'
import { EventSubscriber, joined, type PastEvents } from './subscriber.ts'

/** Bytes that may wait for one listener, unless `ipc_write_buffer` says. */
const MOST_WAITING = 64 << 20

/**
 * How the data of a fired event is decoded. The return of a function stays packed, so that large returns do not delay
 * other events.
 */
const READING: EventReading = {
  leavesPacked: (key) => key === 'return',
  maxValues: 500_000,
  maxPackedValues: 8_000_000,
}

export interface BusServerOptions {
  bus: EventBus
  paths: BusPaths
  /** Mode of the listening socket: 0o660 on a master, where a group may get access. */
  pubMode?: number
  log?: Log
  mostWaiting?: number
  /** Resolves when every event so far is in the journal, if there is a journal. */
  kept?: () => Promise<unknown>
  /** Events of the journal, for a listener that fell behind. */
  past?: PastEvents
}

export class BusServer {
  private readonly options: BusServerOptions
  private readonly log: Log
  private readonly servers: Server[] = []
  private readonly subscribers = new Map<Socket, EventSubscriber>()
  private readonly senders = new Set<Socket>()
  /** Origin of events from the socket of senders: only this user may write to it. */
  private readonly user: Origin = { kind: 'user', name: userName(), proof: 'socket' }
  private stopListening: (() => void) | undefined
  /**
   * Events of this turn of the event loop. They are written together, because a write call costs more than its bytes.
   */
  private fresh: BusEvent[] = []

  constructor(options: BusServerOptions) {
    this.options = options
    this.log = options.log ?? silentLog
  }

  async open(): Promise<void> {
    const { bus, paths, pubMode = 0o660 } = this.options
    // before the first client can connect, so that an early client misses no event
    this.stopListening = bus.listen((event) => {
      if (this.subscribers.size === 0) return
      if (this.fresh.length === 0) setImmediate(() => this.spread())
      this.fresh.push(event)
    })
    const { log } = this
    const serve = async (path: string, mode: number, take: (socket: Socket) => void): Promise<void> => {
      this.servers.push(await serveLocal({ path, mode, log }, take))
    }
    await serve(paths.pub, pubMode, (socket) => this.subscribe(socket))
    await serve(paths.pull, 0o600, (socket) => this.receive(socket))
  }

  async close(): Promise<void> {
    this.stopListening?.()
    this.spread()
    for (const socket of [...this.subscribers.keys(), ...this.senders]) socket.destroy()
    await Promise.all(this.servers.map(closeLocal))
  }

  /** Whether programs can reach both sockets. */
  get isListening(): boolean {
    return this.servers.length === 2 && this.servers.every(({ listening }) => listening)
  }

  private subscribe(socket: Socket): void {
    const { bus, kept = async () => {}, past = () => [], mostWaiting } = this.options
    const subscriber = new EventSubscriber({
      socket,
      mostWaiting: mostWaiting || MOST_WAITING,
      log: this.log,
      last: () => bus.last,
      kept,
      past,
    })
    this.subscribers.set(socket, subscriber)
    socket.on('error', (error) => this.log('debug', `A listener of the event bus was lost: ${error.message}`))
    socket.on('close', () => this.subscribers.delete(socket))
  }

  private spread(): void {
    const events = this.fresh.filter((event) => this.isWritable(event))
    this.fresh = []
    if (events.length === 0) return
    let pieces: Buffer[] | undefined
    const all = (): Buffer[] => {
      pieces ??= joined(events.map(({ frame }) => frame))
      return pieces
    }
    for (const subscriber of this.subscribers.values()) subscriber.send(events, all)
  }

  /** Whether an event can be written. This runs apart from its request, so an error must not go further. */
  private isWritable(event: BusEvent): boolean {
    try {
      return event.frame.length > 0
    } catch (error) {
      this.log('error', `Event ${shownText(event.tag)} reaches no listener: ${toError(error).message}`)
      return false
    }
  }

  private receive(socket: Socket): void {
    const { bus } = this.options
    const frames = new EventFrames()
    this.senders.add(socket)
    socket.on('close', () => this.senders.delete(socket))
    socket.on('error', (error) => this.log('debug', `A sender of events was lost: ${error.message}`))
    socket.on('data', (chunk) => {
      try {
        for (const body of frames.push(chunk)) {
          const { tag, data } = decodeEvent(body, READING)
          bus.tell(this.user, tag, data)
        }
      } catch (error) {
        this.log('error', `Refused an event from a local program: ${toError(error).message}`)
        socket.destroy()
      }
    })
  }
}

/** The name of the user of this process, or its number where it has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.geteuid?.() ?? '')
  }
}
