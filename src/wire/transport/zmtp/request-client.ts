// Requests over ZMTP: a REQ socket. Each connection carries one request at a time, because the master's workers answer
// in any order; further connections are opened while requests wait. A connection whose request timed out is closed.
import type { Socket } from 'node:net'
import { toError } from '../../../base/mod.ts'
import { decodeMsgpack, encodeMsgpack, type Value } from '../../../data/mod.ts'
import { WireError } from '../../errors.ts'
import { endpointText } from '../endpoint.ts'
import { type Pauses, quickPauses } from '../redial.ts'
import { withRetries } from '../retries.ts'
import { dial } from '../sockets.ts'
import { whenOver } from '../time-over.ts'
import {
  type Endpoint,
  MAX_MESSAGE_BYTES,
  type RequestClient,
  type RequestClientOptions,
  type RequestOptions,
} from '../transport.ts'
import { ZmtpConnection } from './connection.ts'
import { encodeMessage } from './frames.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
const MAX_CONNECTIONS = 4
/** How long a connection beyond the first may be idle before it is closed, in milliseconds. */
const IDLE_MS = 5000
const EMPTY = Buffer.alloc(0)

interface Job {
  message: Buffer
  resolve(value: Value): void
  reject(error: Error): void
  timer: NodeJS.Timeout | undefined
  timeout: number
}

/** One connection and the request it carries. */
class Lane {
  private readonly client: ZmtpRequestClient
  private socket: Socket | undefined
  private connection: ZmtpConnection | undefined
  /** The number of the current connection; events of earlier ones are ignored. */
  private attempt = 0
  private job: Job | undefined
  private sent = false
  private failures = 0
  private timer: NodeJS.Timeout | undefined
  private closed = false
  /** When the last heartbeat was sent on the present connection. */
  private beatAt = 0

  constructor(client: ZmtpRequestClient) {
    this.client = client
  }

  get isFree(): boolean {
    return this.job === undefined
  }

  start(job: Job): void {
    this.job = job
    clearTimeout(this.timer)
    if (this.connection?.isReady) this.send()
    else if (this.socket === undefined || this.socket.destroyed) this.open()
  }

  /** Return the milliseconds since a heartbeat that has no answer yet; send one if there is none. */
  beat(): number {
    const { connection } = this
    if (connection?.isReady !== true || connection.minor < 1) return 0
    const now = performance.now()
    if (this.beatAt > connection.heardAt) return now - this.beatAt
    this.beatAt = now
    connection.ping(0)
    return 0
  }

  /** The request is given up; the connection with it, because its answer may still come. */
  abandon(): void {
    this.job = undefined
    this.sent = false
    this.drop()
  }

  owns(job: Job): boolean {
    return this.job === job
  }

  close(): void {
    this.closed = true
    clearTimeout(this.timer)
    this.drop()
  }

  private drop(): void {
    this.attempt++
    this.connection = undefined
    this.socket?.destroy()
  }

  private send(): void {
    this.sent = true
    this.connection!.send(this.job!.message)
  }

  private open(): void {
    const { endpoint, options } = this.client
    const attempt = ++this.attempt
    let failure: Error | undefined
    const socket = dial(endpoint, options, (opened) => {
      this.connection = new ZmtpConnection(opened, {
        type: 'REQ',
        maxMessageBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        onReady: () => {
          this.failures = 0
          options.watch?.works()
          if (this.job !== undefined) this.send()
        },
        onMessage: (frames) => this.receive(frames),
        onClose: (_connection, reason) => {
          failure ??= reason
        },
      })
    })
    this.socket = socket
    socket.on('error', (error) => {
      failure = error
    })
    socket.once('close', () => {
      if (attempt === this.attempt) this.lost(failure)
    })
  }

  private receive(frames: Buffer[]): void {
    const { job } = this
    if (job === undefined || !this.sent || frames.length !== 2 || frames[0]!.length !== 0) {
      throw new WireError('ProtocolError', 'The master sent what nobody asked for')
    }
    this.job = undefined
    this.sent = false
    clearTimeout(job.timer)
    try {
      job.resolve(decodeMsgpack(frames[1]!, { dialect: 'wire' }))
    } catch (error) {
      job.reject(toError(error))
    }
    this.timer = this.client.finished(this) ? undefined : setTimeout(() => this.client.retire(this), IDLE_MS)
    this.timer?.unref()
  }

  /** The answer of a request that was sent is lost, and that was one try; others wait for the next connection. */
  private lost(reason: Error | undefined): void {
    const { job, sent } = this
    this.connection = undefined
    this.sent = false
    if (this.closed || job === undefined) return
    if (sent) {
      this.job = undefined
      clearTimeout(job.timer)
      job.reject(new WireError('Closed', 'The master closed the connection before it answered', { cause: reason }))
      this.client.finished(this)
      return
    }
    this.client.options.log?.(
      'debug',
      `Connecting to ${endpointText(this.client.endpoint)} again: ${reason?.message ?? 'closed'}`,
    )
    this.client.options.watch?.failed(reason)
    this.failures++
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      if (this.job !== undefined) this.open()
    }, this.client.pauses(this.failures))
  }
}

export class ZmtpRequestClient implements RequestClient {
  readonly endpoint: Endpoint
  readonly options: RequestClientOptions
  readonly pauses: Pauses
  private lanes: Lane[] = []
  private readonly waiting: Job[] = []
  private closed = false

  constructor(endpoint: Endpoint, options: RequestClientOptions = {}) {
    this.endpoint = endpoint
    this.options = options
    this.pauses = options.reconnectDelay ?? quickPauses()
  }

  async request(message: unknown, options: RequestOptions = {}): Promise<Value> {
    const bytes = encodeMessage([EMPTY, encodeMsgpack(message, 'wire')])
    return withRetries(
      options,
      () => this.closed,
      (timeout) => this.once(bytes, timeout),
    )
  }

  beat(): number {
    return this.lanes[0]?.beat() ?? 0
  }

  close(): void {
    this.closed = true
    for (const lane of this.lanes) lane.close()
    const jobs = [...this.waiting.splice(0), ...this.running]
    this.lanes = []
    this.running.clear()
    for (const job of jobs) {
      clearTimeout(job.timer)
      job.reject(closedError())
    }
  }

  /** Give the lane its next request; false if there is none and the lane is not needed any more. */
  finished(lane: Lane): boolean {
    const next = this.waiting.shift()
    if (next !== undefined) {
      this.run(lane, next)
      return true
    }
    return this.lanes[0] === lane
  }

  retire(lane: Lane): void {
    if (!lane.isFree) return
    this.lanes = this.lanes.filter((other) => other !== lane)
    lane.close()
  }

  private readonly running = new Set<Job>()

  private once(message: Buffer, timeout: number): Promise<Value> {
    if (this.closed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      const job: Job = {
        message,
        timeout,
        timer: undefined,
        resolve: (value) => {
          this.running.delete(job)
          resolve(value)
        },
        reject: (error) => {
          this.running.delete(job)
          reject(error)
        },
      }
      const lane = this.freeLane()
      if (lane === undefined) this.waiting.push(job)
      else this.run(lane, job)
    })
  }

  private freeLane(): Lane | undefined {
    const free = this.lanes.find((lane) => lane.isFree)
    if (free !== undefined) return free
    if (this.lanes.length >= (this.options.maxConnections ?? MAX_CONNECTIONS)) return undefined
    const lane = new Lane(this)
    this.lanes.push(lane)
    return lane
  }

  private run(lane: Lane, job: Job): void {
    this.running.add(job)
    job.timer = whenOver(job.timeout * 1000, () => {
      if (!this.running.has(job)) return
      if (lane.owns(job)) lane.abandon()
      job.reject(
        new WireError('SaltReqTimeoutError', 'Message timed out', {
          hint: `no answer from ${endpointText(this.endpoint)}`,
        }),
      )
      if (lane.isFree) this.finished(lane)
    })
    lane.start(job)
  }
}

function closedError(): WireError {
  return new WireError('Closed', 'The connection to the master was closed')
}
