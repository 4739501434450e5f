// Requests over WebSockets: one binary message each way, in the wire dialect, one request at a time on a connection.
import type { WebSocket } from 'ws'
import { silentLog, toError } from '../../../base/mod.ts'
import { decodeMsgpack, encodeMsgpack, type Value } from '../../../data/mod.ts'
import { isWireError, WireError } from '../../errors.ts'
import { endpointText } from '../endpoint.ts'
import { inTurn } from '../host-turns.ts'
import { heldWhileAnswered } from '../intake.ts'
import { type Pauses, quickPauses } from '../redial.ts'
import { withRetries } from '../retries.ts'
import type { Stranger } from '../strangers.ts'
import { whenOver } from '../time-over.ts'
import { silenceReason, speaksTls, tlsRefusal } from '../tls-trouble.ts'
import {
  type Endpoint,
  HANDLER_FAILED,
  type RequestClient,
  type RequestClientOptions,
  type RequestHandler,
  type RequestListener,
  type RequestListenOptions,
  type RequestOptions,
} from '../transport.ts'
import { binaryOf, openWebSocket, serveWebSockets } from './sockets.ts'

export async function listenOnWebSockets(
  endpoint: Endpoint,
  handler: RequestHandler,
  options: RequestListenOptions = {},
): Promise<RequestListener> {
  let open = 0
  const listening = await serveWebSockets(endpoint, options, (socket, { stranger, seat, hold }) => {
    open++
    let waiting = 0
    seat.isBusy = () => waiting > 0
    let last: Promise<void> = Promise.resolve()
    socket.on('message', (data, isBinary) => {
      const bytes = binaryOf(socket, data, isBinary)
      if (bytes === undefined) return
      // no further messages are read until this one is answered
      socket.pause()
      waiting++
      let held = 0
      const keep = (more: number): void => {
        held += more
        hold(more)
      }
      keep(bytes.length)
      const answering = { stranger, keep, options }
      const answered = last
        .then(() => new Promise<void>((begin) => inTurn(seat.host, begin)))
        .then(() => answer(socket, bytes, handler, answering))
      last = answered
        .catch(() => socket.terminate())
        .then(() => {
          hold(-held)
          waiting--
          stranger.heard(performance.now())
          socket.resume()
        })
    })
    socket.once('close', () => open--)
  })
  return {
    endpoint: listening.endpoint,
    get connections() {
      return open
    },
    close: () => listening.stop(),
  }
}

interface Answering {
  stranger: Stranger
  /** Count more bytes until the request is answered. */
  keep(bytes: number): void
  options: RequestListenOptions
}

async function answer(
  socket: WebSocket,
  bytes: Buffer,
  handler: RequestHandler,
  { stranger, keep, options }: Answering,
): Promise<void> {
  const { peer, reading } = stranger
  const log = options.log ?? silentLog
  let message: Value
  try {
    message = decodeMsgpack(bytes, { dialect: 'wire', ...reading })
  } catch (error) {
    log('debug', `Cannot read a request from ${peer.address}: ${toError(error).message}`)
    socket.close()
    return
  }
  keep(Math.max(0, heldWhileAnswered(bytes.length, stranger.takeValues()) - bytes.length))
  let reply: Uint8Array
  try {
    reply = encodeMsgpack(await handler(message, peer), 'wire')
  } catch (error) {
    log('error', `Some exception handling a payload from minion: ${toError(error).message}`)
    reply = encodeMsgpack(HANDLER_FAILED, 'wire')
  }
  // nothing more is read until the answer has gone
  if (socket.readyState === socket.OPEN) await new Promise((gone) => socket.send(reply, gone))
}

export class WebSocketRequestClient implements RequestClient {
  private readonly endpoint: Endpoint
  private readonly options: RequestClientOptions
  /** Open connections that carry no request. */
  private readonly idle: WebSocket[] = []
  private readonly busy = new Set<WebSocket>()
  /** Whether a master that closes plain-text connections answers TLS; undefined until it was tried. */
  private wantsTls: boolean | undefined
  private readonly pauses: Pauses
  /** Attempts to connect in a row that failed. */
  private failures = 0
  private closed = false

  constructor(endpoint: Endpoint, options: RequestClientOptions = {}) {
    this.endpoint = endpoint
    this.options = options
    this.pauses = options.reconnectDelay ?? quickPauses()
  }

  async request(message: unknown, options: RequestOptions = {}): Promise<Value> {
    const bytes = encodeMsgpack(message, 'wire')
    return withRetries(
      options,
      () => this.closed,
      (timeout) => this.once(bytes, performance.now() + timeout * 1000),
    )
  }

  close(): void {
    this.closed = true
    for (const socket of [...this.idle, ...this.busy]) socket.terminate()
  }

  private async once(bytes: Uint8Array, deadline: number): Promise<Value> {
    const socket = await this.take(deadline)
    this.busy.add(socket)
    try {
      const reply = await this.exchange(socket, bytes, deadline)
      this.idle.push(socket)
      return decodeMsgpack(reply, { dialect: 'wire' })
    } catch (error) {
      socket.terminate()
      throw error
    } finally {
      this.busy.delete(socket)
    }
  }

  /** Return a free connection or a new one; retry an unreachable master until the deadline. */
  private async take(deadline: number): Promise<WebSocket> {
    for (;;) {
      if (this.closed) throw new WireError('Closed', 'The connection to the master was closed')
      const free = this.idle.pop()
      if (free?.readyState === free?.OPEN && free !== undefined) return free
      try {
        const opened = await this.open(deadline)
        this.failures = 0
        this.wantsTls = undefined
        this.options.watch?.works()
        return opened
      } catch (error) {
        if (isWireError(error, 'BadSetting')) throw error
        const refusal = tlsRefusal(this.endpoint, this.options.ssl, toError(error))
        if (refusal) throw refusal
        if (!this.closed) this.options.watch?.failed(toError(error))
        const pause = this.pauses(++this.failures)
        if (isHangUp(error) && this.options.ssl === undefined) this.wantsTls ??= await speaksTls(this.endpoint)
        if (performance.now() + pause >= deadline) throw this.timedOut(error)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  private open(deadline: number): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = openWebSocket(this.endpoint, this.options)
      this.busy.add(socket)
      const timer = setTimeout(() => socket.terminate(), Math.max(0, deadline - performance.now()))
      socket.once('open', () => {
        clearTimeout(timer)
        resolve(socket)
      })
      socket.on('error', reject)
      socket.once('close', () => {
        clearTimeout(timer)
        this.busy.delete(socket)
        reject(new WireError('Closed', 'The connection was closed'))
      })
    })
  }

  private exchange(socket: WebSocket, bytes: Uint8Array, deadline: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const timer = whenOver(Math.max(0, deadline - performance.now()), () => finish(this.timedOut()))
      const lost = (): void => finish(this.hungUp())
      const failed = (error: Error): void => finish(tlsRefusal(this.endpoint, this.options.ssl, error))
      const received = (data: Buffer, isBinary: boolean): void => finish(binaryOf(socket, data, isBinary))
      const finish = (outcome: Buffer | Error | undefined): void => {
        if (outcome === undefined) return
        clearTimeout(timer)
        socket.off('message', received)
        socket.off('close', lost)
        socket.off('error', failed)
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
      }
      socket.on('message', received)
      socket.once('close', lost)
      socket.once('error', failed)
      socket.send(bytes)
    })
  }

  private timedOut(cause?: unknown): WireError {
    const hint = `no answer from ${endpointText(this.endpoint)}`
    return new WireError('SaltReqTimeoutError', 'Message timed out', { hint, cause, reason: this.reasonOf(cause) })
  }

  private hungUp(): WireError {
    const reason = silenceReason(this.endpoint, this.options.ssl, undefined)
    return new WireError('Closed', 'The master closed the connection before it answered', { reason })
  }

  private reasonOf(cause: unknown): string | undefined {
    return cause instanceof Error ? silenceReason(this.endpoint, this.options.ssl, cause, this.wantsTls) : undefined
  }
}

/** Whether a connection was made and then ended by the other side. */
const isHangUp = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'Closed'].includes((error as NodeJS.ErrnoException).code ?? '')
