// MessagePack by hand, independent of the product's codec: attackers write what a correct encoder cannot write, such as
// raw bytes in the middle of a message, and read any answer.

/** Bytes that are part of a message unchanged. */
export class Raw {
  readonly bytes: Buffer

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes)
  }
}

/** `wire`: text and bytes share the raw family, as in Salt's network messages. `bus`: today's MessagePack. */
export type Dialect = 'wire' | 'bus'

const uint = (mark: number, value: number, size: number): Buffer => {
  const bytes = Buffer.alloc(1 + size)
  bytes[0] = mark
  bytes.writeUIntBE(value, 1, size)
  return bytes
}

function wholeNumber(value: number | bigint): Buffer {
  if (value >= 0 && value < 0x80) return Buffer.of(Number(value))
  if (value < 0 && value >= -32) return Buffer.of(256 + Number(value))
  const bytes = Buffer.alloc(9)
  if (value >= 0) {
    bytes[0] = 0xcf
    bytes.writeBigUInt64BE(BigInt.asUintN(64, BigInt(value)), 1)
  } else {
    bytes[0] = 0xd3
    bytes.writeBigInt64BE(BigInt.asIntN(64, BigInt(value)), 1)
  }
  return bytes
}

function float(value: number): Buffer {
  const bytes = Buffer.alloc(9)
  bytes[0] = 0xcb
  bytes.writeDoubleBE(value, 1)
  return bytes
}

function stringHead(size: number, isText: boolean, dialect: Dialect): Buffer {
  if (dialect === 'bus' && !isText)
    return size < 0x100 ? Buffer.of(0xc4, size) : size < 0x10000 ? uint(0xc5, size, 2) : uint(0xc6, size, 4)
  if (size < 32) return Buffer.of(0xa0 | size)
  if (dialect === 'bus' && size < 0x100) return Buffer.of(0xd9, size)
  return size < 0x10000 ? uint(0xda, size, 2) : uint(0xdb, size, 4)
}

const listHead = (size: number): Buffer =>
  size < 16 ? Buffer.of(0x90 | size) : size < 0x10000 ? uint(0xdc, size, 2) : uint(0xdd, size, 4)
const mapHead = (size: number): Buffer =>
  size < 16 ? Buffer.of(0x80 | size) : size < 0x10000 ? uint(0xde, size, 2) : uint(0xdf, size, 4)

function write(value: unknown, dialect: Dialect, into: Buffer[]): void {
  if (value instanceof Raw) into.push(value.bytes)
  else if (value === null || value === undefined) into.push(Buffer.of(0xc0))
  else if (typeof value === 'boolean') into.push(Buffer.of(value ? 0xc3 : 0xc2))
  else if (typeof value === 'bigint' || Number.isSafeInteger(value)) into.push(wholeNumber(value as number | bigint))
  else if (typeof value === 'number') into.push(float(value))
  else if (typeof value === 'string' || value instanceof Uint8Array) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)
    into.push(stringHead(bytes.length, typeof value === 'string', dialect), bytes)
  } else if (Array.isArray(value)) {
    into.push(listHead(value.length))
    for (const item of value) write(item, dialect, into)
  } else {
    const entries = value instanceof Map ? [...value] : Object.entries(value as object)
    into.push(mapHead(entries.length))
    for (const pair of entries) for (const part of pair) write(part, dialect, into)
  }
}

export function pack(value: unknown, dialect: Dialect = 'wire'): Buffer {
  const into: Buffer[] = []
  write(value, dialect, into)
  return Buffer.concat(into)
}

/** A list in a list in a list, with a number at the bottom. */
export const nestedLists = (depth: number): Raw => new Raw(Buffer.concat([Buffer.alloc(depth, 0x91), Buffer.of(1)]))

/** A list of this many empty maps, at one byte each. */
export const emptyMaps = (count: number): Raw =>
  new Raw(Buffer.concat([uint(0xdd, count, 4), Buffer.alloc(count, 0x80)]))

const filled = (head: Buffer, count: number, each: (index: number) => readonly Buffer[]): Raw =>
  new Raw(Buffer.concat([head, ...Array.from({ length: count }, (_, index) => each(index)).flat()]))

/** A list of this many values, each written by hand. */
export const listOf = (count: number, each: (index: number) => Buffer): Raw =>
  filled(uint(0xdd, count, 4), count, (index) => [each(index)])

/** A map of this many keys, each written by hand. */
export const mapOf = (count: number, key: (index: number) => Buffer): Raw =>
  filled(uint(0xdf, count, 4), count, (index) => [key(index), Buffer.of(1)])

/** Keys that no look-up finds by identity, or that all fall into one bucket. */
export const COSTLY_KEYS: Readonly<Record<string, (index: number) => Buffer>> = {
  'whole floats': (index) => float(index),
  'large numbers': (index) => wholeNumber(2n ** 63n + BigInt(index)),
  'numbers of one bucket': (index) => uint(0xce, collidingNumbers(index), 4),
  'no text': (index) => Buffer.concat([Buffer.of(0xc4, 6, 0xff, 0xfe), uint(0, index, 4).subarray(1)]),
  dates: (index) => date(index),
}

/** A date and time as Salt packs it. */
export const date = (index: number): Buffer => {
  const text = `2020010${1 + (index % 9)}T00:00:00.${String(index).padStart(6, '0')}`
  return Buffer.concat([Buffer.of(0xc7, text.length, 78), Buffer.from(text)])
}

/** The hash that V8 gives a small number, which a sender can compute. */
function hashOf(number: number): number {
  let hash = (~number + (number << 15)) | 0
  hash ^= hash >>> 12
  hash = (hash + (hash << 2)) | 0
  hash ^= hash >>> 4
  hash = Math.imul(hash, 2057)
  return (hash ^ (hash >>> 16)) & 0x3fff_ffff
}

const colliding: number[] = []
let tried = 0

/** The numbers whose hashes end with 16 zero bits, in order. */
function collidingNumbers(index: number): number {
  for (; colliding.length <= index; tried++) if ((hashOf(tried) & 0xffff) === 0) colliding.push(tried)
  return colliding[index]!
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** A header that announces more bytes than follow. */
class Incomplete extends Error {}

class Reader {
  at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  private take(size: number): Buffer {
    if (this.at + size > this.bytes.length) throw new Incomplete('the message is cut off')
    return this.bytes.subarray(this.at, (this.at += size))
  }

  private size(width: number): number {
    return this.take(width).readUIntBE(0, width)
  }

  private string(size: number): string | Buffer {
    const bytes = this.take(size)
    try {
      return UTF8.decode(bytes)
    } catch {
      return bytes
    }
  }

  private list(size: number): unknown[] {
    const items: unknown[] = []
    for (let i = 0; i < size; i++) items.push(this.value())
    return items
  }

  private map(size: number): Record<string, unknown> {
    const fields: Record<string, unknown> = Object.create(null)
    for (let i = 0; i < size; i++) fields[keyText(this.value())] = this.value()
    return fields
  }

  value(): unknown {
    const mark = this.take(1)[0]!
    if (mark < 0x80) return mark
    if (mark < 0x90) return this.map(mark & 15)
    if (mark < 0xa0) return this.list(mark & 15)
    if (mark < 0xc0) return this.string(mark & 31)
    if (mark >= 0xe0) return mark - 256
    return this.marked(mark)
  }

  private marked(mark: number): unknown {
    if (mark <= 0xc1) return null
    if (mark <= 0xc3) return mark === 0xc3
    if (mark <= 0xc6) return this.string(this.size(1 << (mark - 0xc4)))
    if (mark <= 0xc9) return this.take(this.size(1 << (mark - 0xc7)) + 1)
    if (mark === 0xca) return this.take(4).readFloatBE()
    if (mark === 0xcb) return this.take(8).readDoubleBE()
    if (mark < 0xcf) return this.size(1 << (mark - 0xcc))
    if (mark === 0xcf) return Number(this.take(8).readBigUInt64BE())
    if (mark < 0xd3) return this.take(1 << (mark - 0xd0)).readIntBE(0, 1 << (mark - 0xd0))
    if (mark === 0xd3) return Number(this.take(8).readBigInt64BE())
    if (mark <= 0xd8) return this.take((1 << (mark - 0xd4)) + 1)
    if (mark <= 0xdb) return this.string(this.size(1 << (mark - 0xd9)))
    if (mark <= 0xdd) return this.list(this.size(mark === 0xdc ? 2 : 4))
    return this.map(this.size(mark === 0xde ? 2 : 4))
  }
}

/** A key as text; hostile messages have mappings and lists for keys. */
const keyText = (key: unknown): string => (typeof key === 'object' && key !== null ? JSON.stringify(key) : String(key))

export const unpack = (bytes: Uint8Array): unknown => new Reader(Buffer.from(bytes)).value()

/** The first value of a stream and the number of its bytes; undefined while some are missing. */
export function firstValue(bytes: Buffer): { value: unknown; size: number } | undefined {
  const reader = new Reader(bytes)
  try {
    return { value: reader.value(), size: reader.at }
  } catch (error) {
    if (error instanceof Incomplete) return undefined
    throw error
  }
}

/** Bytes that may have been read as text. */
export const bytesOf = (value: unknown): Buffer =>
  typeof value === 'string' ? Buffer.from(value) : Buffer.from((value ?? []) as Uint8Array)

/** Return a field of a decoded value, if it is a map. */
export const field = (value: unknown, ...names: string[]): unknown =>
  names.reduce<unknown>(
    (held, name) =>
      typeof held === 'object' && held !== null && !Array.isArray(held) && !(held instanceof Uint8Array)
        ? (held as Record<string, unknown>)[name]
        : undefined,
    value,
  )
