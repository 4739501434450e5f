// Listening to publications over ZMTP: a SUB that connects again by itself.

import { WireError } from '../../errors.ts'
import { endpointText } from '../endpoint.ts'
import { quickPauses, Redial } from '../redial.ts'
import { dialUntil } from '../sockets.ts'
import { type Endpoint, MAX_MESSAGE_BYTES, type Subscriber, type SubscriberOptions } from '../transport.ts'
import { ZmtpConnection } from './connection.ts'
import { encodeCommand, encodeMessage } from './frames.ts'
import { BROADCAST, SYNDIC, topicOf } from './publisher.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
/** Silence in milliseconds after which a heartbeat is sent; a Brine master sends one earlier. */
const HEARTBEAT_MS = 15_000
const SILENCE_MS = 45_000

/** Return the topics that a minion subscribes to. */
function subscriptions({ filtering, syndic, id, mark }: SubscriberOptions): string[] {
  const topics = filtering ? [BROADCAST, syndic ? SYNDIC : topicOf(id)] : ['']
  return mark === undefined ? topics : [...topics, mark()]
}

export class ZmtpSubscriber implements Subscriber {
  private readonly options: SubscriberOptions
  private readonly redial: Redial
  private ready = false

  constructor(endpoint: Endpoint, options: SubscriberOptions) {
    this.options = options
    this.redial = new Redial({
      delay: options.reconnectDelay ?? quickPauses(),
      watch: options.watch,
      dial: (ended) => dialUntil(endpoint, options, (socket) => this.opened(socket), ended),
      onClose: (error) => {
        options.log?.('debug', `Publications of ${endpointText(endpoint)}: ${error?.message ?? 'connection closed'}`)
        if (!this.ready) return
        this.ready = false
        options.onDisconnect?.()
      },
    })
  }

  get connected(): boolean {
    return this.ready
  }

  close(): void {
    this.redial.close()
  }

  private opened(socket: ZmtpConnection['socket']): void {
    const { heartbeatInterval = HEARTBEAT_MS, heartbeatTimeout = SILENCE_MS } = this.options
    const connection = new ZmtpConnection(socket, {
      type: 'SUB',
      maxMessageBytes: this.options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      onReady: (connection) => this.isReady(connection),
      // the first frame may be a topic
      onMessage: (frames) => this.options.onMessage(frames.at(-1)!),
      onClose: (_connection, reason) => {
        clearInterval(timer)
        if (reason !== undefined) this.options.log?.('debug', reason.message)
      },
    })
    const timer = heartbeatInterval > 0 ? setInterval(() => look(), heartbeatInterval).unref() : undefined
    const look = (): void => {
      if (!connection.isReady || connection.minor < 1) return
      const silence = performance.now() - connection.heardAt
      if (silence > heartbeatTimeout) {
        connection.failIfSilent(heartbeatTimeout, new WireError('Closed', 'The master is silent'))
      } else if (silence >= heartbeatInterval) connection.ping(heartbeatTimeout)
    }
  }

  private isReady(connection: ZmtpConnection): void {
    for (const prefix of subscriptions(this.options)) {
      const topic = Buffer.from(prefix)
      const asCommand = connection.minor >= 1
      connection.send(
        asCommand ? encodeCommand('SUBSCRIBE', topic) : encodeMessage([Buffer.concat([Buffer.from([1]), topic])]),
      )
    }
    this.ready = true
    this.redial.succeeded()
    this.options.onConnect?.()
  }
}
