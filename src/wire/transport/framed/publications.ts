// Publications over tcp. A minion introduces its connection, so that the master knows which minions listen and can send
// to single minions.
import { silentLog, toError } from '../../../base/mod.ts'
import { bytesOf } from '../../envelope.ts'
import { quickPauses, Redial } from '../redial.ts'
import type { Seat } from '../seats.ts'
import { dialUntil, type Listening, listenOn } from '../sockets.ts'
import { Strangers } from '../strangers.ts'
import { tlsComplaints } from '../tls-trouble.ts'
import {
  type Endpoint,
  MAX_MESSAGE_BYTES,
  type Peer,
  type Publisher,
  type PublisherOptions,
  type Subscriber,
  type SubscriberOptions,
} from '../transport.ts'
import { encodeFrame, FramedConnection, type WireFrame } from './stream.ts'

const HIGH_WATER_MARK = 1000
const HANDSHAKE_TIMEOUT_MS = 30_000
/** Messages of a subscriber are short. */
const MAX_INCOMING_BYTES = 1 << 16

interface Listener {
  peer: Peer
  seat: Seat
  id: string | undefined
}

export class FramedPublisher implements Publisher {
  dropped = 0
  private readonly options: PublisherOptions
  private readonly open = new Map<FramedConnection, Listener>()
  private readonly byId = new Map<string, Set<FramedConnection>>()
  /** The number of introduced connections. */
  private named = 0
  private readonly strangers = new Strangers(MAX_INCOMING_BYTES)
  private listening!: Listening

  private constructor(options: PublisherOptions) {
    this.options = options
  }

  static async listen(endpoint: Endpoint, options: PublisherOptions = {}): Promise<FramedPublisher> {
    const publisher = new FramedPublisher(options)
    const settings = { ...options, forSubscribers: true }
    publisher.listening = await listenOn(endpoint, settings, (socket, seat) => publisher.accept(socket, seat))
    return publisher
  }

  get endpoint(): Endpoint {
    return this.listening.endpoint
  }

  get subscribers(): number {
    return this.open.size
  }

  /** The introduction proves that a minion has the key that encrypts publications. */
  get reached(): number {
    return this.options.identify ? this.named : this.open.size
  }

  get supportsTopics(): boolean {
    return this.options.orderMasters !== true
  }

  publish(packet: Uint8Array, ids?: readonly string[]): void {
    const frame = encodeFrame(new Map(), packet)
    if (ids === undefined) for (const connection of this.open.keys()) this.deliver(connection, frame)
    else for (const id of ids) for (const connection of this.byId.get(id) ?? []) this.deliver(connection, frame)
  }

  turnAway(isAway: boolean): void {
    this.listening.turnAway(isAway)
  }

  async close(): Promise<void> {
    const stopped = this.listening.stop()
    for (const connection of this.open.keys()) connection.close()
    await stopped
  }

  private deliver({ outbox }: FramedConnection, frame: Buffer): void {
    const limit = this.options.highWaterMark ?? HIGH_WATER_MARK
    if (limit > 0 && outbox.waiting >= limit) outbox.flush()
    if ((limit > 0 && outbox.waiting >= limit) || outbox.isFull) this.dropped++
    else outbox.push(frame)
  }

  private accept(socket: FramedConnection['socket'], seat: Seat): void {
    const { options } = this
    const { peer } = seat
    const connection: FramedConnection = new FramedConnection(socket, {
      maxMessageBytes: MAX_INCOMING_BYTES,
      stranger: this.strangers.meet(seat),
      firstWithin: options.handshakeTimeout ?? HANDSHAKE_TIMEOUT_MS,
      onFrame: (frame) => void this.identify(connection, frame).catch((error) => connection.fail(toError(error))),
      onClose: (reason) => {
        const id = this.forget(connection)
        ;(options.log ?? silentLog)('debug', `Subscriber ${peer.address} left: ${reason?.message ?? 'closed'}`)
        options.onDisconnect?.(peer, id)
      },
    })
    this.open.set(connection, { peer, seat, id: undefined })
    options.onConnect?.(peer)
  }

  private async identify(connection: FramedConnection, { body }: WireFrame): Promise<void> {
    const id = await this.options.identify?.(body)
    const listener = this.open.get(connection)
    if (id === undefined || listener === undefined || listener.id === id) return
    this.unname(connection, listener.id)
    this.named++
    listener.id = id
    listener.seat.prove(`minion ${id}`)
    this.byId.set(id, (this.byId.get(id) ?? new Set()).add(connection))
    this.options.onSubscribe?.(id, listener.peer)
  }

  private forget(connection: FramedConnection): string | undefined {
    const id = this.open.get(connection)?.id
    this.open.delete(connection)
    this.unname(connection, id)
    return id
  }

  private unname(connection: FramedConnection, id: string | undefined): void {
    const named = id === undefined ? undefined : this.byId.get(id)
    if (named?.delete(connection)) this.named--
    if (id !== undefined && named?.size === 0) this.byId.delete(id)
  }
}

export class FramedSubscriber implements Subscriber {
  private readonly options: SubscriberOptions
  private readonly redial: Redial
  private isOpen = false

  constructor(endpoint: Endpoint, options: SubscriberOptions) {
    this.options = options
    const complain = tlsComplaints(endpoint, options)
    this.redial = new Redial({
      delay: options.reconnectDelay ?? quickPauses(),
      watch: options.watch,
      dial: (ended) => dialUntil(endpoint, options, (socket) => this.opened(socket), ended),
      onClose: (error) => {
        complain(error)
        if (!this.isOpen) return
        this.isOpen = false
        options.onDisconnect?.()
      },
    })
  }

  get connected(): boolean {
    return this.isOpen
  }

  close(): void {
    this.redial.close()
  }

  private opened(socket: FramedConnection['socket']): void {
    const connection = new FramedConnection(socket, {
      maxMessageBytes: this.options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      onFrame: ({ body }) => {
        const packet = bytesOf(body)
        if (packet !== undefined) this.options.onMessage(packet)
      },
      onClose: () => {},
    })
    this.isOpen = true
    this.introduce(connection).then(
      () => {
        this.redial.succeeded()
        this.options.onConnect?.()
      },
      (error) => connection.fail(toError(error)),
    )
  }

  private async introduce(connection: FramedConnection): Promise<void> {
    const introduction = await this.options.introduce?.()
    if (introduction !== undefined) connection.send(encodeFrame(new Map(), introduction))
  }
}
