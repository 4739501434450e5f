// Publishing over ZMTP: a PUB socket. The bytes of a message are shared by all subscribers. A subscriber that does not
// read loses messages above the high-water mark, and delays no other.
import { createHash } from 'node:crypto'
import type { Server } from 'node:net'
import { silentLog } from '../../../base/mod.ts'
import { WireError } from '../../errors.ts'
import type { Seat } from '../seats.ts'
import { listenOn, type PortListening, takeOver } from '../sockets.ts'
import { type Endpoint, MAX_MESSAGE_BYTES, type Peer, type Publisher, type PublisherOptions } from '../transport.ts'
import { ZmtpConnection } from './connection.ts'
import { encodeMessage } from './frames.ts'
import { Relieving } from './relieving.ts'
import { TopicIndex } from './topics.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
const HIGH_WATER_MARK = 1000
const HEARTBEAT_MS = 10_000
const SILENCE_MS = 30_000
/** Longer than any topic of Salt's, which are 40 characters long. */
const TOPIC_LIMIT = 64
/** A minion of Salt has three at most. Each takes memory for every connection of a stranger. */
const MAX_SUBSCRIPTIONS = 16
/** Messages of a subscriber are short. */
const MAX_INCOMING_BYTES = 4096

export const BROADCAST = 'broadcast'
export const SYNDIC = 'syndic'

/** The topic of one minion. */
export function topicOf(id: string): string {
  return createHash('sha1').update(id).digest('hex')
}

interface Subscription {
  peer: Peer
  prefixes: Map<string, number>
}

export class ZmtpPublisher implements Publisher {
  dropped = 0
  private readonly options: PublisherOptions
  private readonly open = new Map<ZmtpConnection, Subscription>()
  private readonly topics = new TopicIndex<ZmtpConnection>()
  private readonly heartbeat: NodeJS.Timeout | undefined
  /** Connections that subscribe to anything. */
  private ready = 0
  private listening!: PortListening
  private readonly relieving: Relieving

  private constructor(options: PublisherOptions) {
    this.options = { ...options, forSubscribers: true }
    this.relieving = new Relieving(options, () => this.listenAgain())
    const interval = options.heartbeatInterval ?? HEARTBEAT_MS
    if (interval > 0) this.heartbeat = setInterval(() => this.beat(), interval)
    this.heartbeat?.unref()
  }

  static async listen(endpoint: Endpoint, options: PublisherOptions = {}): Promise<ZmtpPublisher> {
    const publisher = new ZmtpPublisher(options)
    publisher.listening = await publisher.listen(endpoint)
    return publisher
  }

  /** Goes on with a server that another process opened. */
  static on(server: Server, options: PublisherOptions): ZmtpPublisher {
    const publisher = new ZmtpPublisher(options)
    publisher.listening = takeOver(server, publisher.options, (socket, seat) => publisher.accept(socket, seat))
    return publisher
  }

  /** Listen again after the process that took the port has ended. */
  private async listenAgain(): Promise<void> {
    const { endpoint } = this.listening
    this.listening = await this.listen(endpoint)
    this.listening.turnAway(this.relieving.isAway)
  }

  private listen(endpoint: Endpoint): Promise<PortListening> {
    return listenOn(endpoint, this.options, (socket, seat) => this.accept(socket, seat))
  }

  get endpoint(): Endpoint {
    return this.listening.endpoint
  }

  get subscribers(): number {
    return this.open.size
  }

  get reached(): number {
    return this.ready + this.relieving.reached
  }

  get supportsTopics(): boolean {
    return this.options.filtering === true
  }

  publish(packet: Uint8Array, ids?: readonly string[]): void {
    this.relieving.publish(packet, ids)
    if (this.options.filtering !== true) {
      this.deliver(Buffer.from(packet.subarray(0, TOPIC_LIMIT)).toString('latin1'), encodeMessage([packet]))
      return
    }
    for (const topic of this.topicsFor(ids)) this.deliver(topic, encodeMessage([Buffer.from(topic), packet]))
  }

  private topicsFor(ids: readonly string[] | undefined): string[] {
    if (ids === undefined) return [BROADCAST]
    const topics = ids.map(topicOf)
    return this.options.orderMasters ? [...topics, SYNDIC] : topics
  }

  turnAway(isAway: boolean): void {
    this.listening.turnAway(isAway)
    this.relieving.turnAway(isAway)
  }

  async close(): Promise<void> {
    clearInterval(this.heartbeat)
    const stopped = Promise.all([this.relieving.close(), this.listening.stop()])
    for (const connection of this.open.keys()) connection.close()
    await stopped
  }

  private deliver(start: string, message: Buffer): void {
    const limit = this.options.highWaterMark ?? HIGH_WATER_MARK
    for (const { outbox } of this.topics.matching(start)) {
      if (limit > 0 && outbox.waiting >= limit) outbox.flush()
      if ((limit > 0 && outbox.waiting >= limit) || outbox.isFull) this.dropped++
      else outbox.push(message)
    }
  }

  private accept(socket: ZmtpConnection['socket'], { peer }: Seat): void {
    const { options } = this
    const connection = new ZmtpConnection(socket, {
      type: 'PUB',
      maxMessageBytes: Math.min(options.maxMessageBytes ?? MAX_MESSAGE_BYTES, MAX_INCOMING_BYTES),
      handshakeTimeout: options.handshakeTimeout ?? HANDSHAKE_TIMEOUT_MS,
      onReady: () => options.onConnect?.(peer),
      onMessage: (frames, from) => this.oldSubscription(from, frames),
      onCommand: (name, data, from) => this.command(from, name, data),
      onClose: (from, reason) => {
        this.forget(from)
        ;(options.log ?? silentLog)('debug', `Subscriber ${peer.address} left: ${reason?.message ?? 'closed'}`)
        if (from.isReady) options.onDisconnect?.(peer, undefined)
      },
    })
    this.open.set(connection, { peer, prefixes: new Map() })
    this.relieving.check(this.open.size, this.listening)
  }

  /** Up to ZMTP 3.0 a subscription is a message: 1 or 0, and the prefix. */
  private oldSubscription(from: ZmtpConnection, frames: Buffer[]): void {
    const bytes = frames[0]!
    const prefix = bytes.toString('latin1', 1)
    if (bytes[0] === 1) this.subscribe(from, prefix)
    else if (bytes[0] === 0) this.cancel(from, prefix)
  }

  private command(from: ZmtpConnection, name: string, data: Buffer): void {
    if (name === 'SUBSCRIBE') this.subscribe(from, data.toString('latin1'))
    else if (name === 'CANCEL') this.cancel(from, data.toString('latin1'))
  }

  private subscribe(from: ZmtpConnection, prefix: string): void {
    const known = this.open.get(from)
    if (known === undefined) return
    if (prefix.length > TOPIC_LIMIT || (known.prefixes.size >= MAX_SUBSCRIPTIONS && !known.prefixes.has(prefix))) {
      throw new WireError('TooLarge', 'The subscriber asks for too much')
    }
    if (known.prefixes.size === 0) this.ready++
    known.prefixes.set(prefix, (known.prefixes.get(prefix) ?? 0) + 1)
    this.topics.add(prefix, from)
    this.options.onSubscribe?.(prefix, known.peer)
  }

  private cancel(from: ZmtpConnection, prefix: string): void {
    const prefixes = this.open.get(from)?.prefixes
    const count = prefixes?.get(prefix)
    if (prefixes === undefined || count === undefined) return
    if (count > 1) prefixes.set(prefix, count - 1)
    else {
      prefixes.delete(prefix)
      if (prefixes.size === 0) this.ready--
      this.topics.delete(prefix, from)
    }
  }

  private forget(connection: ZmtpConnection): void {
    const prefixes = this.open.get(connection)?.prefixes ?? new Map()
    for (const prefix of prefixes.keys()) this.topics.delete(prefix, connection)
    if (prefixes.size > 0) this.ready--
    this.open.delete(connection)
  }

  /** Peers before ZMTP 3.1 may not know heartbeats; TCP keepalive watches them. */
  private beat(): void {
    const now = performance.now()
    const silence = this.options.heartbeatTimeout ?? SILENCE_MS
    const longest = silence + (this.options.heartbeatInterval ?? HEARTBEAT_MS)
    for (const connection of this.open.keys()) {
      if (!connection.isReady || connection.minor < 1) continue
      if (now - connection.heardAt > longest) {
        connection.failIfSilent(longest, new WireError('Closed', 'The subscriber is silent'))
      } else connection.ping(silence)
    }
  }
}
