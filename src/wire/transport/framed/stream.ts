// Frames of the tcp transport: maps `{head, body}` in the bus dialect, one behind the other without lengths.
import type { Socket } from 'node:net'
import { toError } from '../../../base/mod.ts'
import { type Dict, encodeMsgpack, isDict, MsgpackStream, type Value } from '../../../data/mod.ts'
import { WireError } from '../../errors.ts'
import { Outbox } from '../outbox.ts'

export interface Frame {
  head: Dict
  body: Value
}

export function encodeFrame(head: unknown, body: unknown): Buffer {
  return Buffer.from(
    encodeMsgpack(
      new Map([
        ['head', head],
        ['body', body],
      ]),
      'bus',
    ),
  )
}

export interface FramedHooks {
  maxMessageBytes: number
  onFrame(frame: Frame): void
  onClose(reason: Error | undefined): void
  onDrain?(): void
}

/** A connection that carries frames. What is no frame ends it. */
export class FramedConnection {
  readonly socket: Socket
  readonly outbox: Outbox
  private reason: Error | undefined

  constructor(socket: Socket, hooks: FramedHooks) {
    this.socket = socket
    this.outbox = new Outbox(socket, hooks.onDrain)
    const stream = new MsgpackStream({ dialect: 'bus', maxBytes: hooks.maxMessageBytes })
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const value of stream.push(chunk)) hooks.onFrame(frameOf(value))
      } catch (error) {
        this.fail(toError(error))
      }
    })
    socket.on('error', (error) => {
      this.reason ??= error
    })
    socket.once('close', () => hooks.onClose(this.reason))
  }

  send(frame: Buffer): void {
    this.outbox.push(frame)
  }

  fail(reason: Error): void {
    this.reason ??= reason
    this.socket.destroy()
  }

  close(): void {
    this.socket.destroy()
  }
}

function frameOf(value: Value): Frame {
  const head = isDict(value) ? value.get('head') : undefined
  if (!isDict(value) || head === undefined || !isDict(head) || !value.has('body')) {
    throw new WireError('ProtocolError', 'The peer sent what is no frame')
  }
  return { head, body: value.get('body')! }
}
