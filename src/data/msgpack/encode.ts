// MessagePack, encoded like Salt: ints in the shortest form and as decimal text beyond 64 bits, floats always as
// doubles, sets and tuples as arrays, dates as extension 78. Consecutive messages are written into one chunk of memory
// and returned as views of it. A message that outgrows the chunk gets its own memory, so a short message that is kept
// never holds more than a chunk.
import { encodeText } from '../codecs.ts'
import { PyDate } from '../date/date.ts'
import { Encoded } from '../encoded.ts'
import { typeError } from '../errors.ts'
import { isPlainObject } from '../plain.ts'
import { PySet } from '../set.ts'
import { Float, PyStr, typeName, type Value } from '../value.ts'
import { EXT_CONSTANT, EXT_DATETIME, MAX_DEPTH, type MsgpackDialect, MsgpackError, SaltConstant } from './dialect.ts'
import { Packed, Pieces } from './packed.ts'
import { EXT_BIG, toExtension } from './python.ts'

const CHUNK = 1 << 16
/** Chunk size for a message within another. */
const PART = 1 << 9
/**
 * Length in characters from which the bytes of a text are counted before it is written: reserving three bytes for each
 * would be too much.
 */
const LONG_TEXT = 1 << 12

/**
 * Return the message for a value, which may mix plain objects, Maps and their contents. `room` bytes before it in its
 * memory belong to the caller.
 */
export function encodeMsgpack(value: unknown, dialect: MsgpackDialect, room = 0): Uint8Array {
  return writer.free.message(value, { apart: dialect !== 'wire', exact: dialect === 'python', room })
}

/** Size from which bytes are not copied into a message that may have pieces. */
const LONG = 1 << 16

/** Return the message in pieces: long byte strings are the given ones, not copies. */
export function encodePieces(value: unknown, dialect: MsgpackDialect): Uint8Array[] {
  return writer.pieces(value, { apart: dialect !== 'wire' })
}

/** Return the bytes before the entries of a dict. */
export function dictHead(size: number): Uint8Array {
  const head = Buffer.alloc(size < 16 ? 1 : size < 0x10000 ? 3 : 5)
  if (head.length === 1) head[0] = 0x80 | size
  else {
    head[0] = head.length === 3 ? 0xde : 0xdf
    head.writeUIntBE(size, 1, head.length - 1)
  }
  return head
}

/** Return the message for a dict. Each entry is a key and its value, encoded in turn; a part may hold several of the `size` entries. */
export function joinEntries(entries: readonly Uint8Array[], size: number = entries.length): Uint8Array {
  return Buffer.concat([dictHead(size), ...entries])
}

interface Writing {
  /** Text and bytes kept apart. */
  apart: boolean
  /** Use extension types for types that Python distinguishes. */
  exact?: boolean
  /** Bytes left free before the message. */
  room?: number
  /** Levels around a message that is a part of another. */
  depth?: number
}

class Writer {
  /** Size of an allocation. */
  private readonly chunk: number
  private buffer: Buffer
  private view: DataView
  /** Where the present message begins. */
  private start = 0
  private at = 0
  private depth = 0
  private isWriting = false
  private inner: Writer | undefined
  /** Text and bytes kept apart. */
  private apart = false
  /** Whether extension types are used for types that Python distinguishes. */
  private exact = false
  /** For a message in pieces: the output up to and including the last long byte string. */
  private cut: Uint8Array[] | undefined

  constructor(chunk = CHUNK) {
    this.chunk = chunk
    this.buffer = Buffer.allocUnsafeSlow(chunk)
    this.view = new DataView(this.buffer.buffer)
  }

  /** Return this writer, or another one if it is in use: bytes of an `Encoded` may be computed during a write. */
  get free(): Writer {
    if (!this.isWriting) return this
    this.inner ??= new Writer()
    return this.inner.free
  }

  message(value: unknown, { apart, exact = false, room = 0, depth = 0 }: Writing): Uint8Array {
    this.apart = apart
    this.exact = exact
    this.at = this.start
    this.depth = depth
    this.reserve(room)
    this.at += room
    this.isWriting = true
    try {
      this.value(value)
    } finally {
      this.isWriting = false
    }
    const begin = this.start + room
    const message = new Uint8Array(this.buffer.buffer, begin, this.at - begin)
    this.start = this.at
    if (this.buffer.length > this.chunk) this.use(Buffer.allocUnsafeSlow(this.chunk))
    return message
  }

  /** Write the next message into this memory. */
  private use(buffer: Buffer): void {
    this.buffer = buffer
    this.view = new DataView(buffer.buffer)
    this.start = 0
  }

  pieces(value: unknown, writing: Writing): Uint8Array[] {
    const pieces: Uint8Array[] = []
    this.cut = pieces
    try {
      pieces.push(this.message(value, writing))
    } finally {
      this.cut = undefined
    }
    return pieces
  }

  /** Make space for bytes: if the chunk is full, the message moves to a new chunk, or to larger memory of its own. */
  private reserve(size: number): void {
    if (this.at + size <= this.buffer.length) return
    const written = this.at - this.start
    const bigger = Buffer.allocUnsafeSlow(Math.max(this.chunk, written + Math.max(written, size)))
    this.buffer.copy(bigger, 0, this.start, this.at)
    this.use(bigger)
    this.at = written
  }

  private value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.text(value)
        break
      case 'number':
        this.number(value)
        break
      case 'boolean':
        this.byte(value ? 0xc3 : 0xc2)
        break
      case 'bigint':
        this.bigint(value)
        break
      case 'object':
        if (value === null) this.byte(0xc0)
        else this.object(value)
        break
      default:
        throw typeError(`can not serialize '${typeof value}' object`)
    }
  }

  private object(value: object): void {
    const special = this.exact ? toExtension(value, (inner) => this.part(inner, true)) : undefined
    if (Array.isArray(special)) this.array(special)
    else if (special) this.extension(special.code, special.content)
    else if (value instanceof Map) this.map(value)
    else if (Array.isArray(value)) this.array(value)
    else if (value instanceof Uint8Array) this.bytes(value)
    else if (value instanceof Float) this.double(value.value)
    else if (isPlainObject(value)) this.plain(value)
    else if (value instanceof PyStr) this.text(value.value)
    else if (value instanceof PySet) this.array([...value.values()])
    else if (value instanceof PyDate) this.extension(EXT_DATETIME, Buffer.from(dateText(value)))
    else if (value instanceof SaltConstant) this.constant(value)
    else if (value instanceof Packed) this.ready(value.bytes)
    else if (value instanceof Pieces) this.joined(value)
    else if (value instanceof Encoded) this.encoded(value)
    else throw typeError(`can not serialize '${typeName(value as Value)}' object`)
  }

  private byte(byte: number): void {
    this.reserve(1)
    this.buffer[this.at++] = byte
  }

  private number(n: number): void {
    this.reserve(9)
    const { buffer } = this
    if (n >= 0 && n < 0x80 && Number.isInteger(n)) buffer[this.at++] = n
    else if (!Number.isInteger(n)) this.double(n)
    else if (!Number.isSafeInteger(n)) this.bigint(BigInt(n))
    else if (n >= 0) this.unsigned(n)
    else this.negative(n)
  }

  private unsigned(n: number): void {
    const { buffer, view, at } = this
    if (n < 0x100) {
      buffer[at] = 0xcc
      buffer[at + 1] = n
      this.at += 2
    } else if (n < 0x10000) {
      buffer[at] = 0xcd
      view.setUint16(at + 1, n)
      this.at += 3
    } else if (n < 0x100000000) {
      buffer[at] = 0xce
      view.setUint32(at + 1, n)
      this.at += 5
    } else this.wide(0xcf, n)
  }

  private negative(n: number): void {
    const { buffer, view, at } = this
    if (n >= -0x20) buffer[this.at++] = n
    else if (n >= -0x80) {
      buffer[at] = 0xd0
      buffer[at + 1] = n
      this.at += 2
    } else if (n >= -0x8000) {
      buffer[at] = 0xd1
      view.setInt16(at + 1, n)
      this.at += 3
    } else if (n >= -0x80000000) {
      buffer[at] = 0xd2
      view.setInt32(at + 1, n)
      this.at += 5
    } else this.wide(0xd3, n)
  }

  private wide(mark: number, n: number): void {
    this.buffer[this.at] = mark
    this.view.setInt32(this.at + 1, Math.floor(n / 0x100000000))
    this.view.setUint32(this.at + 5, n >>> 0)
    this.at += 9
  }

  private bigint(n: bigint): void {
    if (n >= -0x20n && n < 0x80n) {
      this.number(Number(n))
      return
    }
    this.reserve(9)
    if (n >= 0n && n === BigInt.asUintN(64, n)) {
      if (n < 0x100000000n) this.unsigned(Number(n))
      else this.wideBig(0xcf, n)
    } else if (n < 0n && n === BigInt.asIntN(64, n)) {
      if (n >= -0x80000000n) this.negative(Number(n))
      else this.wideBig(0xd3, n)
    } else if (this.exact) this.extension(EXT_BIG, Buffer.from(n.toString()))
    else this.text(n.toString())
  }

  private wideBig(mark: number, n: bigint): void {
    this.buffer[this.at] = mark
    this.view.setBigUint64(this.at + 1, BigInt.asUintN(64, n))
    this.at += 9
  }

  private double(n: number): void {
    this.reserve(9)
    this.buffer[this.at] = 0xcb
    this.view.setFloat64(this.at + 1, n)
    this.at += 9
  }

  private text(text: string): void {
    const { length } = text
    this.reserve((length < LONG_TEXT ? length * 3 : Buffer.byteLength(text)) + 5)
    if (length < 32 && this.brief(text, length)) return
    // guess the header size from the length in characters, and move the text if its bytes need a larger one
    const guess = this.headSize(length)
    const from = this.at + guess
    const size = length < 64 ? this.shortText(text, from) : this.longText(text, from)
    const head = this.headSize(size)
    if (head !== guess) this.buffer.copyWithin(this.at + head, from, from + size)
    this.textHead(size, head)
    this.at += size
  }

  /** Write a short ASCII text, as nearly all keys are; return false for others, without writing. */
  private brief(text: string, length: number): boolean {
    const { buffer, at } = this
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code >= 0x80) return false
      buffer[at + 1 + i] = code
    }
    buffer[at] = 0xa0 | length
    this.at = at + 1 + length
    return true
  }

  private headSize(size: number): number {
    if (size < 32) return 1
    if (size < 0x100 && this.apart) return 2
    return size < 0x10000 ? 3 : 5
  }

  private textHead(size: number, head: number): void {
    const { buffer, at } = this
    this.at += head
    if (head === 1) buffer[at] = 0xa0 | size
    else if (head === 2) {
      buffer[at] = 0xd9
      buffer[at + 1] = size
    } else if (head === 3) {
      buffer[at] = 0xda
      this.view.setUint16(at + 1, size)
    } else {
      buffer[at] = 0xdb
      this.view.setUint32(at + 1, size)
    }
  }

  /** Writes the text as UTF-8 and gives its size; a call into native code would take longer. */
  private shortText(text: string, from: number): number {
    const { buffer } = this
    let to = from
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code < 0x80) buffer[to++] = code
      else if (code < 0x800) {
        buffer[to++] = 0xc0 | (code >> 6)
        buffer[to++] = 0x80 | (code & 0x3f)
      } else if (code < 0xd800 || code > 0xdfff) {
        buffer[to++] = 0xe0 | (code >> 12)
        buffer[to++] = 0x80 | ((code >> 6) & 0x3f)
        buffer[to++] = 0x80 | (code & 0x3f)
      } else return this.longText(text, from)
    }
    return to - from
  }

  private longText(text: string, from: number): number {
    // halves of surrogate pairs have no UTF-8; this says so as Python does
    if (HALF_PAIR.test(text)) encodeText(text)
    return this.buffer.write(text, from, 'utf8')
  }

  private bytes(bytes: Uint8Array): void {
    this.bytesHead(bytes.length)
    this.content(bytes)
  }

  private joined({ parts, length }: Pieces): void {
    this.bytesHead(length)
    for (const part of parts) this.content(part)
  }

  private bytesHead(size: number): void {
    this.reserve(5)
    if (!this.apart) this.textHead(size, this.headSize(size))
    else if (size < 0x100) {
      this.buffer[this.at++] = 0xc4
      this.buffer[this.at++] = size
    } else this.sizedHead(size, 0xc5, 0xc6)
  }

  private content(bytes: Uint8Array): void {
    if (this.cut === undefined || bytes.length < LONG) this.ready(bytes)
    else {
      this.cut.push(new Uint8Array(this.buffer.buffer, this.start, this.at - this.start), bytes)
      this.start = this.at
    }
  }

  private sizedHead(size: number, mark16: number, mark32: number): void {
    const { buffer, view, at } = this
    if (size < 0x10000) {
      buffer[at] = mark16
      view.setUint16(at + 1, size)
      this.at += 3
    } else {
      buffer[at] = mark32
      view.setUint32(at + 1, size)
      this.at += 5
    }
  }

  private ready(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.at)
    this.at += bytes.length
  }

  /** Copy the bytes of an encoded value, if they have the dialect of the message. */
  private encoded(value: Encoded): void {
    if (this.apart && !this.exact) this.ready(value.bytes)
    else this.value(value.unpack())
  }

  /** Counts the levels of containers. */
  private enter(): void {
    if (++this.depth > MAX_DEPTH) {
      throw new MsgpackError('TooDeep', `Cannot write data nested deeper than ${MAX_DEPTH} levels`)
    }
  }

  private array(items: readonly unknown[]): void {
    this.enter()
    this.reserve(5)
    const size = items.length
    if (size < 16) this.buffer[this.at++] = 0x90 | size
    else this.sizedHead(size, 0xdc, 0xdd)
    for (let i = 0; i < size; i++) this.value(items[i])
    this.depth--
  }

  private mapHead(size: number): void {
    this.reserve(5)
    if (size < 16) this.buffer[this.at++] = 0x80 | size
    else this.sizedHead(size, 0xde, 0xdf)
  }

  private map(map: ReadonlyMap<unknown, unknown>): void {
    this.enter()
    this.mapHead(map.size)
    map.forEach((value, key) => {
      if (typeof key === 'string') this.text(key)
      else this.value(key)
      this.value(value)
    })
    this.depth--
  }

  private plain(object: Record<string, unknown>): void {
    this.enter()
    const keys = Object.keys(object)
    this.mapHead(keys.length)
    for (const key of keys) {
      this.text(key)
      this.value(object[key])
    }
    this.depth--
  }

  private extension(type: number, data: Uint8Array): void {
    const size = data.length
    this.reserve(size + 6)
    if (size < 0x100) {
      this.buffer[this.at++] = 0xc7
      this.buffer[this.at++] = size
    } else this.sizedHead(size, 0xc8, 0xc9)
    this.buffer[this.at++] = type
    this.buffer.set(data, this.at)
    this.at += size
  }

  /** The content is a separate message, in which text and bytes are distinct. */
  private constant(constant: SaltConstant): void {
    this.extension(EXT_CONSTANT, this.part([constant.name, constant.value], false))
  }

  /** Returns a message for an extension, which is one level inside this one. */
  private part(value: unknown, exact: boolean): Uint8Array {
    this.enter()
    const bytes = new Writer(PART).message(value, { apart: true, exact, depth: this.depth })
    this.depth--
    return bytes
  }
}

const HALF_PAIR = /\p{Surrogate}/u

/** The year has four digits for readers, also before the year 1000. */
function dateText(date: PyDate): string {
  const { year, month, day, hour, minute, second, microsecond } = date.moment
  const day8 = `${digits(year, 4)}${digits(month, 2)}${digits(day, 2)}`
  return `${day8}T${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}.${digits(microsecond, 6)}`
}

const digits = (number: number, count: number): string => String(number).padStart(count, '0')

const writer = new Writer()
