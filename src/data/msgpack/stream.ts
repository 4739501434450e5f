// Decodes messages from a stream of bytes with any chunking. Headers are walked over once; a message is decoded only
// when it is complete, and refused as soon as its headers exceed the limits.
import type { Value } from '../value.ts'
import { type DecodeOptions, decodeMsgpack, MAX_BYTES } from './decode.ts'
import { MsgpackError } from './dialect.ts'

/** Per mark from 0xc0 on: bytes of the size that follows it, then bytes that come on top of the size. */
const SIZED: Record<number, readonly [sizeBytes: number, extra: number]> = {
  196: [1, 0],
  197: [2, 0],
  198: [4, 0],
  199: [1, 1],
  200: [2, 1],
  201: [4, 1],
  217: [1, 0],
  218: [2, 0],
  219: [4, 0],
}

/** Per mark from 0xc0 on: bytes that follow it. */
const FIXED: Record<number, number> = {
  192: 0,
  194: 0,
  195: 0,
  202: 4,
  203: 8,
  204: 1,
  205: 2,
  206: 4,
  207: 8,
  208: 1,
  209: 2,
  210: 4,
  211: 8,
  212: 2,
  213: 3,
  214: 5,
  215: 9,
  216: 17,
}

/** Per mark from 0xc0 on: bytes of the count that follows it, and values per count. */
const COUNTED: Record<number, readonly [sizeBytes: number, each: number]> = {
  220: [2, 1],
  221: [4, 1],
  222: [2, 2],
  223: [4, 2],
}

/** A buffer that is not worth keeping. */
const MUCH = 1 << 16

export class MsgpackStream {
  private readonly options: DecodeOptions
  /** The most bytes of the message that is coming in. */
  private readonly maxBytes: () => number
  private buffer = Buffer.alloc(0)
  /** How many bytes of the buffer contain data. */
  private filled = 0
  /** Position of the next header; the message begins at 0. */
  private at = 0
  /** Minimum size of the buffer for the value whose header was read. */
  private wanted = 0
  /** How many values are missing until the message is complete. */
  private pending = 1

  /** Bytes that are kept for the message that is coming in. */
  get held(): number {
    return this.buffer.length
  }

  /** `maxBytes` may change while the stream goes on. */
  constructor(options: DecodeOptions, maxBytes: () => number = () => options.maxBytes ?? MAX_BYTES) {
    this.options = options
    this.maxBytes = maxBytes
  }

  /** Takes more bytes and gives the messages that are whole now. */
  push(chunk: Uint8Array): Value[] {
    this.append(chunk)
    const values: Value[] = []
    const maxBytes = this.maxBytes()
    let start = 0
    while (this.walk(start, maxBytes)) {
      values.push(decodeMsgpack(this.buffer.subarray(start, this.at), this.options))
      start = this.at
      this.pending = 1
    }
    this.buffer.copyWithin(0, start, this.filled)
    this.filled -= start
    this.at -= start
    this.wanted -= start
    // one large message must not cost its memory for as long as the stream lasts
    if (this.filled === 0 && this.buffer.length > MUCH) this.buffer = Buffer.alloc(0)
    return values
  }

  /** Says that no more bytes come; throws when a message was cut off. */
  end(): void {
    if (this.filled > 0) {
      throw new MsgpackError('Truncated', `Cannot read message: the stream ends after ${this.filled} bytes of it`)
    }
  }

  private append(chunk: Uint8Array): void {
    const needed = this.filled + chunk.length
    if (needed > this.buffer.length) {
      // allocate no more than a long value needs, once a quarter of it has arrived
      const isNear = this.wanted > 0 && 4 * needed >= this.wanted
      const bigger = Buffer.allocUnsafe(isNear ? Math.max(needed, this.wanted) : 2 * needed)
      this.buffer.copy(bigger, 0, 0, this.filled)
      this.buffer = bigger
    }
    this.buffer.set(chunk, this.filled)
    this.filled = needed
  }

  /** Walk over the received values; return whether the message that begins at `start` is complete. */
  private walk(start: number, maxBytes: number): boolean {
    while (this.pending > 0 && this.at < this.filled) {
      const mark = this.buffer[this.at]!
      let size = 1
      let inner = 0
      if (mark >= 0x80 && mark < 0x90) inner = 2 * (mark & 0x0f)
      else if (mark >= 0x90 && mark < 0xa0) inner = mark & 0x0f
      else if (mark >= 0xa0 && mark < 0xc0) size += mark & 0x1f
      else if (mark >= 0xc0 && mark < 0xe0) {
        const head = this.head(mark)
        if (head === undefined) return false
        ;[size, inner] = head
      }
      const whole = this.at + size - start
      if (whole + inner > maxBytes) {
        throw new MsgpackError('TooLarge', `Cannot read message: it has more than the ${maxBytes} bytes allowed`)
      }
      this.wanted = this.at + size
      if (this.wanted > this.filled) return false
      this.at += size
      this.pending += inner - 1
    }
    return this.pending === 0
  }

  /** Return bytes and inner values of a value with a longer header; undefined if the header is incomplete. */
  private head(mark: number): [size: number, inner: number] | undefined {
    const fixed = FIXED[mark]
    if (fixed !== undefined) return [1 + fixed, 0]
    const [sizeBytes, factor] = SIZED[mark] ?? COUNTED[mark] ?? [0, 0]
    if (this.at + 1 + sizeBytes > this.filled) return undefined
    if (sizeBytes === 0) {
      throw new MsgpackError('BadFormat', 'Cannot read message: 0xc1 begins no value')
    }
    const number = this.buffer.readUIntBE(this.at + 1, sizeBytes)
    if (mark in COUNTED) return [1 + sizeBytes, number * factor]
    return [1 + sizeBytes + number + factor, 0]
  }
}
