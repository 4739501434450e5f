// Publications over WebSockets: a binary message that holds the packet as bytes of the bus dialect. All subscribers
// get everything.
import type { WebSocket } from 'ws'
import { toError } from '../../../base/mod.ts'
import { decodeMsgpack, encodeMsgpack } from '../../../data/mod.ts'
import { bytesOf } from '../../envelope.ts'
import { quickPauses, Redial } from '../redial.ts'
import type { Listening } from '../sockets.ts'
import { tlsComplaints } from '../tls-trouble.ts'
import type { Endpoint, Publisher, PublisherOptions, Subscriber, SubscriberOptions } from '../transport.ts'
import { binaryOf, openWebSocket, serveWebSockets } from './sockets.ts'

const HIGH_WATER_MARK = 1000
/** Messages of a subscriber are short. */
const MAX_INCOMING_BYTES = 1 << 16
/** Bytes that may wait for one subscriber. */
const MOST_WAITING = 64 << 20

export class WebSocketPublisher implements Publisher {
  readonly supportsTopics = false
  dropped = 0
  private readonly options: PublisherOptions
  /** Subscribers, and how many messages wait for each. */
  private readonly open = new Map<WebSocket, number>()
  private listening!: Listening

  private constructor(options: PublisherOptions) {
    this.options = options
  }

  static async listen(endpoint: Endpoint, options: PublisherOptions = {}): Promise<WebSocketPublisher> {
    const publisher = new WebSocketPublisher(options)
    const incoming = { ...options, maxMessageBytes: MAX_INCOMING_BYTES, forSubscribers: true }
    publisher.listening = await serveWebSockets(endpoint, incoming, (socket, { seat: { peer } }) => {
      publisher.open.set(socket, 0)
      options.onConnect?.(peer)
      socket.on('message', (data, isBinary) => binaryOf(socket, data, isBinary))
      socket.once('close', () => {
        publisher.open.delete(socket)
        options.onDisconnect?.(peer, undefined)
      })
    })
    return publisher
  }

  get endpoint(): Endpoint {
    return this.listening.endpoint
  }

  get subscribers(): number {
    return this.open.size
  }

  get reached(): number {
    return this.open.size
  }

  publish(packet: Uint8Array): void {
    const limit = this.options.highWaterMark ?? HIGH_WATER_MARK
    const message = encodeMsgpack(packet, 'bus')
    for (const [socket, waiting] of this.open) {
      if ((limit > 0 && waiting >= limit) || socket.bufferedAmount > MOST_WAITING) {
        this.dropped++
        continue
      }
      this.open.set(socket, waiting + 1)
      socket.send(message, () => {
        const left = this.open.get(socket)
        if (left !== undefined) this.open.set(socket, left - 1)
      })
    }
  }

  turnAway(isAway: boolean): void {
    this.listening.turnAway(isAway)
  }

  close(): Promise<void> {
    return this.listening.stop()
  }
}

export class WebSocketSubscriber implements Subscriber {
  private readonly options: SubscriberOptions
  private readonly redial: Redial
  private isOpen = false

  constructor(endpoint: Endpoint, options: SubscriberOptions) {
    this.options = options
    const complain = tlsComplaints(endpoint, options)
    this.redial = new Redial({
      delay: options.reconnectDelay ?? quickPauses(),
      watch: options.watch,
      dial: (ended) => this.dial(endpoint, ended),
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

  private dial(endpoint: Endpoint, ended: (error: Error | undefined) => void): () => void {
    let failure: Error | undefined
    const socket = openWebSocket(endpoint, this.options)
    socket.on('error', (error) => {
      failure = error
    })
    socket.once('open', () => {
      this.isOpen = true
      this.redial.succeeded()
      this.options.onConnect?.()
    })
    socket.on('message', (data, isBinary) => {
      try {
        this.receive(binaryOf(socket, data, isBinary))
      } catch (error) {
        failure = toError(error)
        socket.terminate()
      }
    })
    socket.once('close', () => ended(failure))
    return () => socket.terminate()
  }

  private receive(message: Buffer | undefined): void {
    const packet = message === undefined ? undefined : bytesOf(decodeMsgpack(message, { dialect: 'bus' }))
    if (packet !== undefined) this.options.onMessage(packet)
  }
}
