// The master's side of requests over ZMTP: a ROUTER. Requests of one connection may be many; their answers keep the
// order. A peer that sends faster than it is answered, or does not read its answers, is not read any further.
import { type Log, silentLog, toError } from '../../../base/mod.ts'
import { type DecodeOptions, decodeMsgpack, encodeMsgpack, encodePieces, type Value } from '../../../data/mod.ts'
import { heldWhileAnswered, intake } from '../intake.ts'
import { listenOn } from '../sockets.ts'
import { type Stranger, Strangers } from '../strangers.ts'
import {
  type Endpoint,
  HANDLER_FAILED,
  MAX_MESSAGE_BYTES,
  type RequestHandler,
  type RequestListener,
  type RequestListenOptions,
} from '../transport.ts'
import { ZmtpConnection } from './connection.ts'
import { messagePieces } from './frames.ts'

const HANDSHAKE_TIMEOUT_MS = 30_000
const MAX_IN_FLIGHT = 256
/** Salt's answer to invalid MessagePack. */
const UNREADABLE = [encodeMsgpack(new Map([['error', 'Routing error']]), 'wire')]

interface Slot {
  /** Bytes of the request that are counted until its answer is sent. */
  held: number
  /** The bytes of the answer, piece by piece. */
  reply: Buffer[] | undefined
}

class RequestConnection {
  private readonly handler: RequestHandler
  private readonly connection: ZmtpConnection
  private readonly stranger: Stranger
  private readonly reading: DecodeOptions
  private readonly log: Log
  private readonly maxInFlight: number
  /** Requests in order of arrival; the first ones may still be in progress. */
  private readonly slots: Slot[] = []

  constructor(connection: ZmtpConnection, handler: RequestHandler, stranger: Stranger, options: RequestListenOptions) {
    this.connection = connection
    this.handler = handler
    this.stranger = stranger
    this.reading = { dialect: 'wire', views: true, ...stranger.reading }
    this.log = options.log ?? silentLog
    this.maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT
  }

  /** Whether a request waits for its answer. */
  get isBusy(): boolean {
    return this.slots.length > 0
  }

  receive(frames: Buffer[]): void {
    const delimiter = frames.findIndex((frame) => frame.length === 0)
    // a client sends an empty frame before exactly one frame with the request
    if (delimiter < 0 || delimiter !== frames.length - 2) return
    this.answer(frames.slice(0, delimiter + 1), frames[delimiter + 1]!)
  }

  private answer(route: Buffer[], payload: Buffer): void {
    const { peer } = this.stranger
    let message: Value
    try {
      message = decodeMsgpack(payload, this.reading)
    } catch (error) {
      this.stranger.takeValues()
      this.log('debug', `Cannot read a request from ${peer.address}: ${toError(error).message}`)
      this.finish(this.slot(0), route, UNREADABLE)
      return
    }
    const slot = this.slot(heldWhileAnswered(payload.length, this.stranger.takeValues()))
    let answer: unknown
    try {
      answer = this.handler(message, peer)
    } catch (error) {
      answer = this.failed(error)
    }
    if (!(answer instanceof Promise)) this.finish(slot, route, this.pack(answer))
    else {
      answer.then(
        (value) => this.finish(slot, route, this.pack(value)),
        (error) => this.finish(slot, route, this.pack(this.failed(error))),
      )
    }
  }

  private failed(error: unknown): string {
    this.log('error', `Some exception handling a payload from minion: ${toError(error).message}`)
    return HANDLER_FAILED
  }

  private pack(answer: unknown): Uint8Array[] {
    try {
      return encodePieces(answer, 'wire')
    } catch (error) {
      return [encodeMsgpack(this.failed(error), 'wire')]
    }
  }

  private slot(held: number): Slot {
    const slot: Slot = { reply: undefined, held }
    intake.change(this.connection, held)
    this.slots.push(slot)
    if (this.slots.length >= this.maxInFlight) this.connection.reading.hold()
    return slot
  }

  private finish(slot: Slot, route: Buffer[], reply: Uint8Array[]): void {
    slot.reply = messagePieces(route, reply)
    while (this.slots[0]?.reply !== undefined) this.send(this.slots.shift()!)
    this.stranger.heard(performance.now())
    if (this.connection.outbox.isStalled) this.connection.reading.hold()
    else this.resume()
  }

  /** Send an answer. The request counts until the peer has read the answer, which may be as long. */
  private send({ reply, held }: Slot): void {
    const { connection } = this
    const last = reply!.length - 1
    for (let at = 0; at < last; at++) connection.send(reply![at]!)
    if (held === 0) connection.send(reply![last]!)
    else connection.send(reply![last]!, () => intake.change(connection, -held))
  }

  resume(): void {
    if (this.slots.length < this.maxInFlight) this.connection.reading.release()
  }
}

export async function listenForRequests(
  endpoint: Endpoint,
  handler: RequestHandler,
  options: RequestListenOptions = {},
): Promise<RequestListener> {
  const log = options.log ?? silentLog
  const open = new Map<ZmtpConnection, RequestConnection>()
  const maxMessageBytes = options.maxMessageBytes ?? MAX_MESSAGE_BYTES
  const strangers = new Strangers(maxMessageBytes)
  const listening = await listenOn(endpoint, options, (socket, seat) => {
    const stranger = strangers.meet(seat)
    const connection = new ZmtpConnection(socket, {
      type: 'ROUTER',
      maxMessageBytes,
      stranger,
      handshakeTimeout: options.handshakeTimeout ?? HANDSHAKE_TIMEOUT_MS,
      onReady: () => {},
      onMessage: (frames, from) => open.get(from)?.receive(frames),
      onDrain: (from) => open.get(from)?.resume(),
      onClose: (from, reason) => {
        open.delete(from)
        if (reason !== undefined) log('debug', `Connection of ${seat.peer.address} closed: ${reason.message}`)
      },
    })
    const requests = new RequestConnection(connection, handler, stranger, options)
    seat.isBusy = () => requests.isBusy
    open.set(connection, requests)
  })
  return {
    endpoint: listening.endpoint,
    get connections() {
      return open.size
    },
    async close() {
      const stopped = listening.stop()
      for (const connection of open.keys()) connection.close()
      await stopped
    },
  }
}
