// Requests over tcp: each frame's head has a `mid`, and the answer carries the same; many may be under way on one
// connection, and their answers come in any order.
import { randomUUID } from 'node:crypto'
import { silentLog, toError } from '../../../base/mod.ts'
import type { Dict, Value } from '../../../data/mod.ts'
import { WireError } from '../../errors.ts'
import { endpointText } from '../endpoint.ts'
import { intake } from '../intake.ts'
import { type Pauses, quickPauses } from '../redial.ts'
import { withRetries } from '../retries.ts'
import { dial, listenOn } from '../sockets.ts'
import { Strangers } from '../strangers.ts'
import { whenOver } from '../time-over.ts'
import { silenceReason, speaksTls, tlsRefusal } from '../tls-trouble.ts'
import {
  type Endpoint,
  HANDLER_FAILED,
  MAX_MESSAGE_BYTES,
  type RequestClient,
  type RequestClientOptions,
  type RequestHandler,
  type RequestListener,
  type RequestListenOptions,
  type RequestOptions,
} from '../transport.ts'
import { encodeFrame, FramedConnection, type WireFrame } from './stream.ts'

const MAX_IN_FLIGHT = 256
const HANDSHAKE_TIMEOUT_MS = 30_000

export async function listenForFrames(
  endpoint: Endpoint,
  handler: RequestHandler,
  options: RequestListenOptions = {},
): Promise<RequestListener> {
  const { log = silentLog, maxMessageBytes = MAX_MESSAGE_BYTES, maxInFlight = MAX_IN_FLIGHT } = options
  const { handshakeTimeout = HANDSHAKE_TIMEOUT_MS } = options
  const open = new Set<FramedConnection>()
  const strangers = new Strangers(maxMessageBytes)
  const listening = await listenOn(endpoint, options, (socket, seat) => {
    const stranger = strangers.meet(seat)
    const { peer } = stranger
    let inFlight = 0
    seat.isBusy = () => inFlight > 0
    const answer = async ({ head, body }: WireFrame, held: number): Promise<void> => {
      if (++inFlight >= maxInFlight) connection.reading.hold()
      intake.change(connection, held)
      let reply: unknown
      try {
        reply = await handler(body, peer)
      } catch (error) {
        log('error', `Some exception handling a payload from minion: ${toError(error).message}`)
        reply = HANDLER_FAILED
      }
      // the bytes count until the peer has read the answer, which may be as long
      connection.send(encodeFrame(returned(head), reply), held > 0 ? () => intake.change(connection, -held) : undefined)
      inFlight--
      stranger.heard(performance.now())
      resume()
    }
    const resume = (): void => {
      if (connection.outbox.isStalled) connection.reading.hold()
      else if (inFlight < maxInFlight) connection.reading.release()
    }
    const connection: FramedConnection = new FramedConnection(socket, {
      maxMessageBytes,
      stranger,
      firstWithin: handshakeTimeout,
      onFrame: (frame, held) => {
        answer(frame, held).catch((error) => connection.fail(toError(error)))
      },
      onDrain: () => resume(),
      onClose: (reason) => {
        open.delete(connection)
        if (reason !== undefined) log('debug', `Connection of ${peer.address} closed: ${reason.message}`)
      },
    })
    open.add(connection)
  })
  return {
    endpoint: listening.endpoint,
    get connections() {
      return open.size
    },
    async close() {
      const stopped = listening.stop()
      for (const connection of open) connection.close()
      await stopped
    },
  }
}

/**
 * Return the part of a header that goes into the answer: only the number of the request, so that a stranger cannot
 * store data.
 */
function returned(head: Dict): Dict {
  const mid = head.get('mid')
  const isFit = typeof mid === 'number' || typeof mid === 'bigint' || (typeof mid === 'string' && mid.length <= 256)
  return isFit ? new Map([['mid', mid]]) : new Map()
}

interface Pending {
  frame: Buffer
  sent: boolean
  timer: NodeJS.Timeout
  resolve(value: Value): void
  reject(error: Error): void
}

const closed = (message: string, reason?: string, cause?: Error): WireError =>
  new WireError('Closed', message, { reason, cause })

export class FramedRequestClient implements RequestClient {
  private readonly endpoint: Endpoint
  private readonly options: RequestClientOptions
  private readonly pending = new Map<string, Pending>()
  private hangUp: (() => void) | undefined
  private connection: FramedConnection | undefined
  /** The reason for missing answers, as far as connections have shown one. */
  private trouble: string | undefined
  /** Whether a master that closes plain-text connections answers TLS; undefined until it was tried. */
  private wantsTls: boolean | undefined
  private readonly pauses: Pauses
  /** Consecutive connections without any received data. */
  private failures = 0
  private timer: NodeJS.Timeout | undefined
  private closed = false

  constructor(endpoint: Endpoint, options: RequestClientOptions = {}) {
    this.endpoint = endpoint
    this.options = options
    this.pauses = options.reconnectDelay ?? quickPauses()
  }

  async request(message: unknown, options: RequestOptions = {}): Promise<Value> {
    return withRetries(
      options,
      () => this.closed,
      (timeout) => this.once(message, timeout),
    )
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.hangUp?.()
    this.failAll(
      () => true,
      () => closed('The connection to the master was closed'),
    )
  }

  private once(message: unknown, timeout: number): Promise<Value> {
    if (this.closed) return Promise.reject(closed('The connection to the master was closed'))
    const mid = randomUUID()
    const frame = encodeFrame(new Map([['mid', mid]]), message)
    return new Promise((resolve, reject) => {
      const timer = whenOver(timeout * 1000, () => {
        if (!this.pending.delete(mid)) return
        const hint = `no answer from ${endpointText(this.endpoint)}`
        reject(new WireError('SaltReqTimeoutError', 'Message timed out', { hint, reason: this.trouble }))
      })
      const pending: Pending = { frame, sent: false, timer, resolve, reject }
      this.pending.set(mid, pending)
      if (this.connection !== undefined) this.send(pending)
      else if (this.hangUp === undefined) this.open()
    })
  }

  private send(pending: Pending): void {
    pending.sent = true
    this.connection!.send(pending.frame)
  }

  private open(): void {
    try {
      this.dial()
    } catch (error) {
      // a certificate that cannot be read
      this.failAll(
        () => true,
        () => error as WireError,
      )
    }
  }

  private dial(): void {
    const { ssl, watch } = this.options
    let isHeard = false
    const socket = dial(this.endpoint, this.options, (opened) => {
      this.trouble = undefined
      watch?.works()
      this.connection = new FramedConnection(opened, {
        maxMessageBytes: this.options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
        onFrame: (frame) => {
          isHeard = true
          this.wantsTls = undefined
          this.failures = 0
          this.trouble = undefined
          this.receive(frame)
        },
        onClose: () => {},
      })
      for (const pending of this.pending.values()) this.send(pending)
    })
    this.hangUp = () => socket.destroy()
    let failure: Error | undefined
    socket.on('error', (error) => {
      failure = error
    })
    if (ssl) socket.once('connect', () => (this.trouble = silenceReason(this.endpoint, ssl, undefined)))
    socket.once('close', () => void this.hungUp(isHeard, failure))
  }

  private async hungUp(isHeard: boolean, failure: Error | undefined): Promise<void> {
    const { ssl, watch } = this.options
    const wasOpen = this.connection !== undefined
    this.connection = undefined
    if (!wasOpen && !this.closed) watch?.failed(failure)
    if (wasOpen && !isHeard && ssl === undefined && !this.closed) this.wantsTls ??= await speaksTls(this.endpoint)
    if (!isHeard) this.trouble = silenceReason(this.endpoint, ssl, failure, this.wantsTls)
    this.lost(failure)
  }

  private receive({ head, body }: WireFrame): void {
    const mid = head.get('mid')
    const pending = typeof mid === 'string' ? this.pending.get(mid) : undefined
    // the answer to a request that timed out
    if (pending === undefined) return
    this.pending.delete(mid as string)
    clearTimeout(pending.timer)
    pending.resolve(body)
  }

  /** Answers in progress are lost, and each counts as one try; unsent requests wait for the next connection. */
  private lost(reason: Error | undefined): void {
    const refusal = tlsRefusal(this.endpoint, this.options.ssl, reason)
    if (refusal)
      this.failAll(
        () => true,
        () => refusal,
      )
    else
      this.failAll(
        ({ sent }) => sent,
        () => closed('The master closed the connection before it answered', this.trouble, reason),
      )
    if (this.closed) return
    this.failures++
    this.timer = setTimeout(() => {
      this.hangUp = undefined
      if (this.pending.size > 0) this.open()
    }, this.pauses(this.failures))
    if (this.pending.size === 0) this.timer.unref()
  }

  private failAll(which: (pending: Pending) => boolean, error: () => WireError): void {
    for (const [mid, pending] of this.pending) {
      if (!which(pending)) continue
      this.pending.delete(mid)
      clearTimeout(pending.timer)
      pending.reject(error())
    }
  }
}
