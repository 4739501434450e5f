// The format of events between processes of one machine. A body is the tag, an empty line, and the data; a frame is a
// map of a header and the body. Salt's headers are empty and its readers use only the body; Brine's contain the origin
// of the event. A program that fires an event may prefix the frame with its length: Salt 3008.2 does, 3007 does not.
import { createHash } from 'node:crypto'
import {
  type DecodeOptions,
  type Dict,
  decodeMsgpack,
  encodeMsgpack,
  isDict,
  MsgpackStream,
  type Value,
} from '../data/mod.ts'
import { bytesOf } from './envelope.ts'
import { WireError } from './errors.ts'

const SEPARATOR = Buffer.from('\n\n')
/** The first byte of a frame without a length: a map with two entries. No length prefix begins with it. */
const MAP_OF_TWO = 0x82
const LENGTH_BYTES = 4
const MAX_FRAME_BYTES = 1 << 28
/** Values of a frame: its head, and its body as bytes. */
const MAX_FRAME_VALUES = 1000

export interface Event {
  tag: string
  data: Dict
}

export function encodeEvent(tag: string, data: unknown): Buffer {
  return Buffer.concat([Buffer.from(tag), SEPARATOR, encodeMsgpack(data, 'bus')])
}

/** Return the bytes before the body of a frame: a map of two, its header, and the word `body`. */
function headed(head: Dict): Buffer {
  const name = (word: string): Buffer => Buffer.from(`\xa4${word}`, 'latin1')
  return Buffer.concat([Buffer.of(MAP_OF_TWO), name('head'), encodeMsgpack(head, 'bus'), name('body')])
}

/** The beginnings of frames from one origin: `origin` is the value that readers find in the head, if any. */
export class FrameHead {
  readonly plain: Buffer
  private readonly fields: Array<[Value, Value]>
  private withNumber: Buffer | undefined

  constructor(origin?: Value) {
    this.fields = origin === undefined ? [] : [['o', origin]]
    this.plain = headed(new Map(this.fields))
  }

  /** For an event in a journal: `isKept` where its data is elsewhere in part, and its mark in a cluster. */
  inJournal(isKept: boolean, mark: string | undefined): Buffer {
    const kept: Array<[Value, Value]> = isKept ? [['kept', true]] : []
    return headed(new Map([...this.fields, ...kept, ...(mark === undefined ? [] : [['c', mark] as [Value, Value]])]))
  }

  /** Return the header with space for a number in its last eight bytes. */
  get numbered(): Buffer {
    this.withNumber ??= headed(new Map([...this.fields, ['n', 2 ** 50]]))
    return this.withNumber
  }
}

/** The head that Salt writes. */
const EMPTY = new FrameHead()

/** Bytes from the number to the end of the bytes before the body. */
const AFTER_NUMBER = 'xbody'.length + 8

const BIN32 = 0xc6

/** Bytes that say how long a body is. */
const lengthBytes = (size: number): number => (size < 0x100 ? 1 : size < 0x10000 ? 2 : 4)

/** Write the part of a frame before the data. */
function writeBegin(frame: Buffer, head: Buffer, tag: string, size: number): number {
  const wide = lengthBytes(size)
  let at = head.copy(frame)
  frame[at++] = BIN32 - (wide === 1 ? 2 : wide === 2 ? 1 : 0)
  at = frame.writeUIntBE(size, at, wide)
  at += frame.write(tag, at)
  return at + SEPARATOR.copy(frame, at)
}

/** Return the frame of an event with packed data, which is copied only once. */
export function framePacked(tag: string, packed: Uint8Array, head: Buffer = EMPTY.plain): Buffer {
  const size = Buffer.byteLength(tag) + SEPARATOR.length + packed.length
  const frame = Buffer.allocUnsafe(head.length + 1 + lengthBytes(size) + size)
  frame.set(packed, writeBegin(frame, head, tag, size))
  return frame
}

/** The frame of an event and its data, which is packed within it: a large return is written out once. */
export function frameEvent(
  tag: string,
  data: unknown,
  { plain }: FrameHead = EMPTY,
): { frame: Buffer; packed: Uint8Array } {
  const tagged = Buffer.byteLength(tag) + SEPARATOR.length
  const packed = encodeMsgpack(data, 'bus', plain.length + 1 + 4 + tagged)
  const size = tagged + packed.length
  const before = plain.length + 1 + lengthBytes(size) + tagged
  const frame = Buffer.from(packed.buffer, packed.byteOffset - before, before + packed.length)
  writeBegin(frame, plain, tag, size)
  return { frame, packed }
}

/** Return the same frame with a number in its header; `head` is the present header. */
export function numberFrame(frame: Buffer, number: number, { plain, numbered }: FrameHead = EMPTY): Buffer {
  const bytes = Buffer.allocUnsafe(numbered.length + frame.length - plain.length)
  numbered.copy(bytes)
  const at = numbered.length - AFTER_NUMBER
  bytes.writeUInt32BE(Math.floor(number / 2 ** 32), at)
  bytes.writeUInt32BE(number % 2 ** 32, at + 4)
  frame.copy(bytes, numbered.length, plain.length)
  return bytes
}

/** Limits for decoding the data of an event. */
export type EventReading = Pick<DecodeOptions, 'maxValues' | 'maxPackedValues' | 'leavesPacked'>

export function decodeEvent(body: Uint8Array, reading: EventReading = {}): Event {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const at = bytes.indexOf(SEPARATOR)
  if (at < 0) throw new WireError('ProtocolError', 'An event has no end of its tag')
  const data = decodeMsgpack(bytes.subarray(at + SEPARATOR.length), { dialect: 'bus', ...reading })
  if (!isDict(data)) throw new WireError('ProtocolError', 'The data of an event is no mapping')
  return { tag: bytes.toString('utf8', 0, at), data }
}

/** The tag of an event without reading its data. */
export function eventTag(body: Uint8Array): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const at = bytes.indexOf(SEPARATOR)
  return bytes.toString('utf8', 0, at < 0 ? bytes.length : at)
}

/** A frame as subscribers of a bus get it. */
export function frameBody(body: Uint8Array): Buffer {
  return Buffer.from(
    encodeMsgpack(
      new Map<string, unknown>([
        ['head', new Map()],
        ['body', body],
      ]),
      'bus',
    ),
  )
}

/** A frame as it is fired: with its length in front. */
export function frameFiredEvent(body: Uint8Array): Buffer {
  const frame = frameBody(body)
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(frame.length)
  return Buffer.concat([length, frame])
}

export interface HeadedBody {
  body: Uint8Array
  /** The number of the event on its bus. */
  number?: number
  /** The origin of the event, as the bus wrote it. */
  origin?: Value
}

/** Splits a stream of frames into event bodies, with length prefixes or without; the first byte decides. */
export class EventFrames {
  private readonly frames: MsgpackStream
  private readonly maxBytes: number
  private prefixed: boolean | undefined
  /** The received parts of a frame with a length prefix, their size, and the size that is needed to continue. */
  private parts: Uint8Array[] = []
  private size = 0
  private wanted = LENGTH_BYTES

  constructor(maxBytes: number = MAX_FRAME_BYTES) {
    this.maxBytes = maxBytes
    this.frames = new MsgpackStream({ dialect: 'bus', maxBytes, maxValues: MAX_FRAME_VALUES })
  }

  /** Bodies that are whole now. */
  push(chunk: Uint8Array): Uint8Array[] {
    return this.split(chunk).map(bodyOf)
  }

  /** Return bodies with the content of their headers. */
  pushHeaded(chunk: Uint8Array): HeadedBody[] {
    return this.split(chunk).map((frame) => {
      const head = isDict(frame) ? (frame.get('head') ?? null) : null
      const [number, origin] = isDict(head) ? [head.get('n'), head.get('o')] : []
      return {
        body: bodyOf(frame),
        ...(number !== undefined && { number: Number(number) }),
        ...(origin !== undefined && { origin }),
      }
    })
  }

  private split(chunk: Uint8Array): Value[] {
    if (chunk.length === 0) return []
    this.prefixed ??= chunk[0] !== MAP_OF_TWO
    if (!this.prefixed) return this.frames.push(chunk)
    this.parts.push(chunk)
    this.size += chunk.length
    return this.size < this.wanted ? [] : this.whole(Buffer.concat(this.parts))
  }

  /** Take the frames that are whole off the bytes, and keep the rest. */
  private whole(bytes: Buffer): Value[] {
    const frames: Value[] = []
    let at = 0
    this.wanted = LENGTH_BYTES
    while (bytes.length - at >= LENGTH_BYTES) {
      const size = bytes.readUInt32BE(at)
      if (size > this.maxBytes)
        throw new WireError('TooLarge', `Refused an event of ${size} bytes, ${this.maxBytes} are allowed`)
      const from = at + LENGTH_BYTES
      this.wanted = LENGTH_BYTES + size
      if (bytes.length < from + size) break
      at = from + size
      this.wanted = LENGTH_BYTES
      frames.push(decodeMsgpack(bytes.subarray(from, at), { dialect: 'bus', maxValues: MAX_FRAME_VALUES }))
    }
    this.parts = [bytes.subarray(at)]
    this.size = bytes.length - at
    return frames
  }
}

function bodyOf(frame: Value): Uint8Array {
  const body = isDict(frame) ? bytesOf(frame.get('body')) : undefined
  if (body === undefined) throw new WireError('ProtocolError', 'A frame of the event bus has no body')
  return body
}

/** The names of a minion's event sockets in its `sock_dir`. */
export function minionSocketNames(id: string, hashType = 'sha256'): { pub: string; pull: string } {
  const hash = createHash(hashType).update(id).digest('hex').slice(0, 10)
  return { pub: `minion_event_${hash}_pub.ipc`, pull: `minion_event_${hash}_pull.ipc` }
}
