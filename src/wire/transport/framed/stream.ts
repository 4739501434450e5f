// Frames of the tcp transport: maps `{head, body}` in the bus dialect, one behind the other without lengths.
import type { Socket } from 'node:net'
import { ownMemory, toError } from '../../../base/mod.ts'
import { type Dict, encodeMsgpack, isDict, MsgpackStream, type Value } from '../../../data/mod.ts'
import { WireError } from '../../errors.ts'
import { FairReader } from '../fair-reading.ts'
import { type Holder, heldWhileAnswered, intake } from '../intake.ts'
import { Outbox } from '../outbox.ts'
import type { Stranger } from '../strangers.ts'
import { MAX_VALUES } from '../transport.ts'

export interface WireFrame {
  head: Dict
  body: Value
}

export function encodeFrame(head: unknown, body: unknown): Buffer {
  const frame = new Map([
    ['head', head],
    ['body', body],
  ])
  const { buffer, byteOffset, length } = encodeMsgpack(frame, 'bus')
  return ownMemory(Buffer.from(buffer, byteOffset, length))
}

export interface FramedHooks {
  maxMessageBytes: number
  /** The peer, if it must still prove its identity. */
  stranger?: Stranger | undefined
  /** Milliseconds until the first frame must have arrived. */
  firstWithin?: number | undefined
  /** A frame, and about how many bytes it holds until it is answered. */
  onFrame(frame: WireFrame, held: number): void
  onClose(reason: Error | undefined): void
  onDrain?(): void
}

/** A connection that carries frames. Invalid frames close it, and so does silence of a peer that must speak first. */
export class FramedConnection implements Holder {
  readonly socket: Socket
  readonly outbox: Outbox
  readonly reading: FairReader
  private readonly stranger: Stranger | undefined
  private reason: Error | undefined

  constructor(socket: Socket, hooks: FramedHooks) {
    this.socket = socket
    this.outbox = new Outbox(socket, hooks.onDrain)
    const { maxMessageBytes, firstWithin, stranger } = hooks
    this.stranger = stranger
    const reading = stranger?.reading ?? { maxValues: MAX_VALUES }
    const stream = new MsgpackStream({ dialect: 'bus', maxBytes: maxMessageBytes, ...reading }, stranger?.largest)
    const late = new WireError('ProtocolError', 'The peer did not introduce itself in time')
    const timer = firstWithin === undefined ? undefined : setTimeout(() => this.fail(late), firstWithin)
    let waiting = 0
    this.reading = new FairReader(socket, (chunk) => {
      if (socket.destroyed) return false
      stranger?.heard(performance.now())
      try {
        const before = stream.held
        const values = stream.push(chunk)
        intake.change(this, stream.held - before)
        waiting += chunk.length
        if (values.length === 0) return false
        clearTimeout(timer)
        const each = (total: number): number => Math.ceil(total / values.length)
        const held = heldWhileAnswered(each(waiting), each(stranger?.takeValues() ?? 0))
        waiting = 0
        for (const value of values) hooks.onFrame(frameOf(value), held)
      } catch (error) {
        this.fail(toError(error))
      }
      return true
    })
    socket.on('error', (error) => {
      this.reason ??= error
    })
    socket.once('close', () => {
      clearTimeout(timer)
      intake.forget(this)
      hooks.onClose(this.reason)
    })
  }

  /** Send a frame; `onSent` is called when the system has taken it, or the connection is over. */
  send(frame: Buffer, onSent?: () => void): void {
    this.outbox.push(frame, onSent)
  }

  isStranger(): boolean {
    return this.stranger?.isProven() === false
  }

  overflow(): void {
    this.fail(new WireError('TooLarge', 'Refused a message: too many large ones are coming in at once'))
  }

  fail(reason: Error): void {
    this.reason ??= reason
    this.socket.destroy()
  }

  close(): void {
    this.socket.destroy()
  }
}

function frameOf(value: Value): WireFrame {
  const head = isDict(value) ? value.get('head') : undefined
  if (!isDict(value) || head === undefined || !isDict(head) || !value.has('body')) {
    throw new WireError('ProtocolError', 'The peer sent what is no frame')
  }
  return { head, body: value.get('body')! }
}
