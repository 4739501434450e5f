// Reads parts of packed data in place, without unpacking the rest. For programs that read a few fields of many large
// values.
import type { Value } from '../value.ts'
import { decodeMsgpack } from './decode.ts'
import { MsgpackError } from './dialect.ts'

interface PackedKey {
  bytes: Uint8Array
  index: number
}

/** Keys to recognise, by their length. */
export type PackedKeys = ReadonlyArray<readonly PackedKey[]>

/** Return keys for `PackedCursor.key`. The longest has 31 bytes. */
export function packedKeys(names: readonly string[]): PackedKeys {
  const table: PackedKey[][] = Array.from({ length: 32 }, () => [])
  for (const [index, name] of names.entries()) {
    const bytes = Buffer.from(name)
    table[bytes.length]!.push({ bytes, index })
  }
  return table
}

const isSame = (bytes: Uint8Array, at: number, wanted: Uint8Array): boolean => {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false
  return true
}

/** A place in packed data. Methods throw `MsgpackError` where the data ends too early. */
export class PackedCursor {
  readonly bytes: Buffer
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = at
  }

  /** The type byte of the next value. */
  get mark(): number {
    if (this.at >= this.bytes.length) throw truncated()
    return this.bytes[this.at]!
  }

  /** Step into a mapping and return the number of its entries; return undefined and stay in front of any other value. */
  map(): number | undefined {
    const { mark } = this
    if (mark >= 0x80 && mark < 0x90) return this.entered(1, mark & 0x0f)
    if (mark === 0xde) return this.entered(3, this.size(2))
    return mark === 0xdf ? this.entered(5, this.size(4)) : undefined
  }

  /** Step into a list and return the number of its items; return undefined and stay in front of any other value. */
  list(): number | undefined {
    const { mark } = this
    if (mark >= 0x90 && mark < 0xa0) return this.entered(1, mark & 0x0f)
    if (mark === 0xdc) return this.entered(3, this.size(2))
    return mark === 0xdd ? this.entered(5, this.size(4)) : undefined
  }

  /** Step over a key and return its index; -1 for keys that are not in the table. */
  key(keys: PackedKeys): number {
    const { mark, bytes } = this
    if (mark < 0xa0 || mark >= 0xc0) {
      this.skip()
      return -1
    }
    const length = mark & 0x1f
    const at = this.at + 1
    this.at = this.within(at + length)
    const known = keys[length]!
    // a loop without an iterator: this is most of the work of a reader
    for (let i = 0; i < known.length; i++) if (isSame(bytes, at, known[i]!.bytes)) return known[i]!.index
    return -1
  }

  /** Step over a text and return it; return undefined and stay in front of any other value. */
  text(): string | undefined {
    const from = this.textStart()
    return from < 0 ? undefined : this.bytes.toString('utf8', from, this.at)
  }

  /** Skip a text and return the start of its bytes; they end at `at`. For another value, return -1 and do not move. */
  textStart(): number {
    const { mark } = this
    const width = mark >= 0xa0 && mark < 0xc0 ? 0 : (TEXTS.get(mark) ?? -1)
    if (width < 0) return -1
    const from = this.at + 1 + width
    this.at = this.within(from + (width === 0 ? mark & 0x1f : this.size(width)))
    return from
  }

  /** Step over a number and return it; return undefined and stay in front of any other value. */
  number(): number | undefined {
    const { mark } = this
    const read = NUMBERS.get(mark)
    if (read) {
      const from = this.at + 1
      this.at = this.within(this.at + FIXED[mark]!)
      return Number(read(this.bytes, from))
    }
    if (mark >= 0x80 && mark < 0xe0) return undefined
    this.at++
    return mark < 0x80 ? mark : mark - 0x100
  }

  /** Step over a value and return it. */
  value(): Value {
    const from = this.at
    this.skip()
    return decodeMsgpack(this.bytes.subarray(from, this.at), { dialect: 'bus' })
  }

  /** Step over a value. */
  skip(): void {
    const { bytes } = this
    for (let left = 1; left > 0; left--) {
      const mark = bytes[this.at]
      if (mark === undefined) throw truncated()
      if (mark < 0x80 || mark >= 0xe0) this.at++
      else if (mark < 0x90) left += this.entered(1, (mark & 0x0f) * 2)
      else if (mark < 0xa0) left += this.entered(1, mark & 0x0f)
      else if (mark < 0xc0) this.at += 1 + (mark & 0x1f)
      else if (mark < 0xdc) this.at += this.length(mark)
      else if (mark < 0xde) left += this.list()!
      else left += this.map()! * 2
    }
    this.within(this.at)
  }

  /** The bytes of a value that is no mapping, no list and no short text or number. */
  private length(mark: number): number {
    const fixed = FIXED[mark]!
    if (fixed > 0) return fixed
    const sized = SIZED.get(mark)
    if (sized === undefined) throw new MsgpackError('BadFormat', `0x${mark.toString(16)} begins no value`)
    const [width, more] = sized
    return 1 + width + more + this.size(width)
  }

  /** The number that follows the mark. */
  private size(width: number): number {
    this.within(this.at + 1 + width)
    return this.bytes.readUIntBE(this.at + 1, width)
  }

  private entered(head: number, count: number): number {
    this.at = this.within(this.at + head)
    return count
  }

  private within(at: number): number {
    if (at <= this.bytes.length) return at
    throw truncated()
  }
}

const truncated = (): MsgpackError => new MsgpackError('Truncated', 'The data ends within a value')

type NumberReader = (bytes: Buffer, at: number) => number | bigint

const NUMBERS: ReadonlyMap<number, NumberReader> = new Map<number, NumberReader>([
  [0xca, (bytes, at) => bytes.readFloatBE(at)],
  [0xcb, (bytes, at) => bytes.readDoubleBE(at)],
  [0xcc, (bytes, at) => bytes.readUInt8(at)],
  [0xcd, (bytes, at) => bytes.readUInt16BE(at)],
  [0xce, (bytes, at) => bytes.readUInt32BE(at)],
  [0xcf, (bytes, at) => bytes.readBigUInt64BE(at)],
  [0xd0, (bytes, at) => bytes.readInt8(at)],
  [0xd1, (bytes, at) => bytes.readInt16BE(at)],
  [0xd2, (bytes, at) => bytes.readInt32BE(at)],
  [0xd3, (bytes, at) => bytes.readBigInt64BE(at)],
])

/** Marks of longer texts: the width of their size. */
const TEXTS: ReadonlyMap<number, number> = new Map([
  [0xd9, 1],
  [0xda, 2],
  [0xdb, 4],
])

/** Marks of bytes, extensions and longer texts: the width of their size, and the bytes beside it. */
const SIZED: ReadonlyMap<number, readonly [width: number, more: number]> = new Map<number, readonly [number, number]>([
  [0xc4, [1, 0]],
  [0xc5, [2, 0]],
  [0xc6, [4, 0]],
  [0xc7, [1, 1]],
  [0xc8, [2, 1]],
  [0xc9, [4, 1]],
  ...[...TEXTS].map(([mark, width]) => [mark, [width, 0]] as const),
])

/** By type byte: the size of values with a fixed size, and 0 for others. */
const FIXED: readonly number[] = Array.from({ length: 0x100 }, (_, mark) => {
  if (mark === 0xc0 || mark === 0xc2 || mark === 0xc3) return 1
  if (mark >= 0xcc && mark <= 0xd3) return 1 + (1 << (mark & 3))
  if (mark >= 0xd4 && mark <= 0xd8) return 2 + (1 << (mark - 0xd4))
  return mark === 0xca ? 5 : mark === 0xcb ? 9 : 0
})
