// One ZMTP connection, on either side: greeting, READY, then messages and commands. Nothing is sent before the peer's
// READY has arrived: libzmq closes a connection on which a message overtakes its own.
import type { Socket } from 'node:net'
import { toError } from '../../../base/mod.ts'
import { WireError } from '../../errors.ts'
import { FairReader } from '../fair-reading.ts'
import { type Holder, intake } from '../intake.ts'
import { Outbox } from '../outbox.ts'
import type { Stranger } from '../strangers.ts'
import { encodeCommand, FrameReader, type FrameSink } from './frames.ts'
import { checkReady, GREETING, GREETING_SIZE, readGreeting, readyCommand, type SocketType } from './handshake.ts'

export interface ConnectionHooks {
  type: SocketType
  maxMessageBytes: number
  /** The peer, if it must still prove its identity. */
  stranger?: Stranger | undefined
  handshakeTimeout: number
  onReady(connection: ZmtpConnection): void
  onMessage(frames: Buffer[], connection: ZmtpConnection): void
  onCommand?(name: string, data: Buffer, connection: ZmtpConnection): void
  onClose(connection: ZmtpConnection, reason: Error | undefined): void
  /** The peer reads again. */
  onDrain?(connection: ZmtpConnection): void
}

const MAX_PING_CONTEXT = 16
/** Limit of pings whose answers a peer did not read. */
const MOST_UNANSWERED = 1000

/** Size limit of a peer's handshake. */
const HANDSHAKE_BYTES = 8192

export class ZmtpConnection implements FrameSink, Holder {
  readonly socket: Socket
  readonly outbox: Outbox
  readonly reading: FairReader
  isReady = false
  /** Minor version of the protocol: from 1 on the peer knows heartbeats and subscriptions as commands. */
  minor = 0
  /** When the peer was last heard, in milliseconds of `performance.now()`. */
  heardAt = performance.now()
  private readonly hooks: ConnectionHooks
  private readonly reader: FrameReader
  private greeting: Buffer | undefined = Buffer.alloc(0)
  private reason: Error | undefined
  private unanswered = 0
  /** Whether the last read completed a message. */
  private hasMessage = false
  private timer: NodeJS.Timeout | undefined

  constructor(socket: Socket, hooks: ConnectionHooks) {
    this.socket = socket
    this.hooks = hooks
    this.reader = new FrameReader(
      this,
      () => HANDSHAKE_BYTES,
      (change) => intake.change(this, change),
    )
    this.outbox = new Outbox(socket, () => hooks.onDrain?.(this), hooks.type === 'PUB')
    this.timer = setTimeout(
      () => this.fail(new WireError('ProtocolError', 'The peer did not introduce itself in time')),
      hooks.handshakeTimeout,
    )
    this.reading = new FairReader(socket, (bytes) => this.receive(bytes))
    socket.on('error', (error) => {
      this.reason ??= error
    })
    socket.once('close', () => {
      clearTimeout(this.timer)
      this.reader.release()
      intake.forget(this)
      hooks.onClose(this, this.reason)
    })
    socket.write(GREETING)
  }

  /** Send a message; `onSent` is called when the system has taken it, or the connection is over. */
  send(message: Buffer, onSent?: () => void): void {
    this.outbox.push(message, onSent)
  }

  /** Send a heartbeat. After `timeToLive` milliseconds without another sign the peer closes the connection; 0: it never does. */
  ping(timeToLive: number): void {
    const data = Buffer.alloc(2)
    data.writeUInt16BE(Math.min(0xffff, Math.round(timeToLive / 100)))
    this.send(encodeCommand('PING', data))
  }

  fail(reason: Error): void {
    this.reason ??= reason
    this.socket.destroy()
  }

  /** Fails, unless a sign of the peer is here that this process had no time to read yet. */
  failIfSilent(milliseconds: number, reason: Error): void {
    setImmediate(() => {
      if (performance.now() - this.heardAt > milliseconds) this.fail(reason)
    })
  }

  isStranger(): boolean {
    return this.hooks.stranger?.isProven() === false
  }

  overflow(): void {
    this.fail(new WireError('TooLarge', 'Refused a message: too many large ones are coming in at once'))
  }

  close(): void {
    this.socket.destroy()
  }

  message(frames: Buffer[]): void {
    if (!this.isReady) throw new WireError('ProtocolError', 'The peer sent a message before READY')
    this.hasMessage = true
    this.hooks.onMessage(frames, this)
  }

  command(name: string, data: Buffer): void {
    if (!this.isReady) this.introduction(name, data)
    else if (name === 'PING') this.pong(data)
    else if (name === 'ERROR') throw new WireError('ProtocolError', refusal(data))
    else if (name !== 'PONG') this.hooks.onCommand?.(name, data, this)
  }

  /** Answer a ping. A peer that does not read its answers gets no more, and is disconnected if it continues. */
  private pong(data: Buffer): void {
    if (data.length >= 2) this.expect(100 * data.readUInt16BE(0))
    if (!this.outbox.isStalled) this.send(encodeCommand('PONG', data.subarray(2, 2 + MAX_PING_CONTEXT)))
    else if (++this.unanswered > MOST_UNANSWERED) throw new WireError('ProtocolError', 'The peer reads no answers')
  }

  /** Apply the peer's TTL: after this time without data, the connection counts as lost. */
  private expect(milliseconds: number): void {
    clearTimeout(this.timer)
    if (milliseconds === 0) return
    const look = (): void => {
      const left = this.heardAt + milliseconds - performance.now()
      if (left > 0) this.timer = setTimeout(look, left).unref()
      else this.failIfSilent(milliseconds, new WireError('Closed', 'The peer is silent'))
    }
    look()
  }

  private introduction(name: string, data: Buffer): void {
    if (name === 'ERROR') throw new WireError('ProtocolError', refusal(data))
    if (name !== 'READY') throw new WireError('ProtocolError', `The peer sent ${JSON.stringify(name)} before READY`)
    checkReady(this.hooks.type, data)
    this.isReady = true
    const { maxMessageBytes, stranger } = this.hooks
    this.reader.maxBytes = stranger?.largest ?? (() => maxMessageBytes)
    clearTimeout(this.timer)
    this.hooks.onReady(this)
  }

  private receive(chunk: Buffer): boolean {
    this.heardAt = performance.now()
    this.hooks.stranger?.heard(this.heardAt)
    this.hasMessage = false
    try {
      if (this.socket.destroyed) return false
      if (this.greeting === undefined) this.reader.push(chunk)
      else this.greet(chunk)
    } catch (error) {
      this.fail(toError(error))
    }
    return this.hasMessage
  }

  private greet(chunk: Buffer): void {
    const bytes = Buffer.concat([this.greeting!, chunk])
    this.greeting = bytes
    const minor = readGreeting(bytes)
    if (minor === undefined) return
    this.minor = minor
    this.greeting = undefined
    this.socket.write(readyCommand(this.hooks.type))
    if (bytes.length > GREETING_SIZE) this.reader.push(bytes.subarray(GREETING_SIZE))
  }
}

function refusal(data: Buffer): string {
  return `The peer refused: ${JSON.stringify(data.toString('latin1', 1, 1 + (data[0] ?? 0)))}`
}
