// MessagePack, decoded like Salt. Sizes beyond the message and unlimited nesting are refused before memory is
// allocated.
import { isAscii, isUtf8 } from 'node:buffer'
import { PyDatetime } from '../date/date.ts'
import { assertHashable, dictSet } from '../dict.ts'
import { PyError } from '../errors.ts'
import { KeyIndex } from '../key-index.ts'
import { type Dict, float, int, type Value } from '../value.ts'
import { BYTES_COST, ENTRY_COST, EXTENSION_COST, keyCost, LIST_COST, MAPPING_COST } from './cost.ts'
import { EXT_CONSTANT, EXT_DATETIME, MAX_DEPTH, type MsgpackDialect, MsgpackError, SaltConstant } from './dialect.ts'
import { Packed, walkPlain } from './packed.ts'
import { fromExtension } from './python.ts'

export interface DecodeOptions {
  /** `raw` leaves all text but keys as bytes: for loads that carry files. */
  dialect: MsgpackDialect | 'raw'
  /** Nesting limit. Default: `MAX_DEPTH`, which can be encoded again. */
  maxDepth?: number
  maxBytes?: number
  /** Limit of all values, each counted by its cost (`cost.ts`): a byte can encode a mapping, which costs 200. */
  maxValues?: number
  /** Limit of all values, decoded and packed; packed values cost little memory. Default: `maxValues`. */
  maxPackedValues?: number
  /** The remaining allowance of the sender; decoded values are subtracted, also if decoding fails. */
  allowance?: ValueAllowance | undefined
  /** Whether the value of this key of the outermost mapping, which has come in so far, may stay packed. */
  leavesPacked?: (key: string, dict: Dict) => boolean
  /** Return bytes as views of the message instead of copies, for values that do not outlive it. */
  views?: boolean
}

/** How many values may be decoded for one sender. */
export interface ValueAllowance {
  readonly left: number
  spend(values: number): void
}

export const MAX_BYTES: number = 1 << 29

/** Shorter values are decoded: that costs less than keeping them packed. */
const WORTH_LEAVING = 64

const readWire = (bytes: Uint8Array): Value => decodeMsgpack(bytes, { dialect: 'wire' })

/** Decode the single value in the bytes. */
export function decodeMsgpack(bytes: Uint8Array, options: DecodeOptions): Value {
  const reader = new Reader(bytes, options)
  try {
    const value = reader.value()
    if (reader.at !== bytes.length) {
      throw new MsgpackError('ExtraData', `Cannot read message: ${bytes.length - reader.at} bytes follow its end`)
    }
    return value
  } finally {
    options.allowance?.spend(reader.values)
  }
}

/** Decode all consecutive values in the bytes. */
export function decodeMulti(bytes: Uint8Array, options: DecodeOptions): Value[] {
  const reader = new Reader(bytes, options)
  const values: Value[] = []
  while (reader.at < bytes.length) values.push(reader.value())
  return values
}

/** Short texts, mostly keys, that were read before; found by a hash of their bytes. */
const CACHED = 4096
const cachedTexts = new Array<string>(CACHED).fill('')
const CACHED_LENGTH = 24

/** Up to this length, decoding a text and testing it is faster than testing its bytes first. */
const QUICK_LENGTH = 64

/** Length from which it pays to check whether a text is ASCII, because that decodes faster. */
const LONG_TEXT = 1 << 16

class Reader {
  at = 0
  private readonly bytes: Buffer
  private readonly end: number
  private readonly dialect: MsgpackDialect | 'raw'
  private readonly maxDepth: number
  private readonly leavesPacked: DecodeOptions['leavesPacked']
  private readonly views: boolean
  private readonly maxValues: number
  private readonly maxPackedValues: number
  /** The cost of decoded or announced values. */
  values = 0
  private depth = 0
  /** Made when the first float comes. */
  private view: DataView | undefined

  constructor(bytes: Uint8Array, options: DecodeOptions) {
    const { maxBytes = MAX_BYTES } = options
    if (bytes.length > maxBytes) {
      throw new MsgpackError('TooLarge', `Cannot read message: it has ${bytes.length} bytes, ${maxBytes} are allowed`)
    }
    this.bytes = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    this.end = bytes.length
    this.dialect = options.dialect
    this.maxDepth = options.maxDepth ?? MAX_DEPTH
    const { maxValues = Number.POSITIVE_INFINITY, allowance } = options
    this.maxValues = allowance ? Math.min(maxValues, allowance.left) : maxValues
    this.maxPackedValues = options.maxPackedValues ?? this.maxValues
    this.leavesPacked = options.leavesPacked
    this.views = options.views === true
  }

  value(): Value {
    if (this.at >= this.end) throw this.truncated(1)
    const mark = this.bytes[this.at++]!
    if (mark < 0x80) return mark
    if (mark < 0x90) return this.map(mark & 0x0f)
    if (mark < 0xa0) return this.array(mark & 0x0f)
    if (mark < 0xc0) return this.text(mark & 0x1f)
    if (mark >= 0xe0) return mark - 0x100
    return mark >= 0xcc && mark <= 0xd3 ? this.integer(mark) : this.marked(mark)
  }

  private marked(mark: number): Value {
    switch (mark) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xca:
        return this.float(4)
      case 0xcb:
        return this.float(8)
      case 0xdc:
        return this.array(this.size16())
      case 0xdd:
        return this.array(this.size32())
      case 0xde:
        return this.map(this.size16())
      case 0xdf:
        return this.map(this.size32())
      default:
        return this.sized(mark)
    }
  }

  private integer(mark: number): number | bigint {
    switch (mark) {
      case 0xcc:
        return this.size8()
      case 0xcd:
        return this.size16()
      case 0xce:
        return this.size32()
      case 0xcf:
        return this.int64(false)
      case 0xd0:
        return (this.size8() << 24) >> 24
      case 0xd1:
        return (this.size16() << 16) >> 16
      case 0xd2:
        return this.size32() | 0
      default:
        return this.int64(true)
    }
  }

  private sized(mark: number): Value {
    switch (mark) {
      case 0xd9:
        return this.text(this.size8())
      case 0xda:
        return this.text(this.size16())
      case 0xdb:
        return this.text(this.size32())
      case 0xc4:
        return this.binary(this.size8())
      case 0xc5:
        return this.binary(this.size16())
      case 0xc6:
        return this.binary(this.size32())
      case 0xc7:
        return this.extension(this.size8())
      case 0xc8:
        return this.extension(this.size16())
      case 0xc9:
        return this.extension(this.size32())
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return this.extension(1 << (mark - 0xd4))
      default:
        throw new MsgpackError('BadFormat', `Cannot read message: 0xc1 at byte ${this.at - 1} begins no value`)
    }
  }

  private truncated(missing: number): MsgpackError {
    return new MsgpackError(
      'Truncated',
      `Cannot read message: it ends at byte ${this.end}, ${missing} more are missing`,
    )
  }

  /** Skip bytes and return the start position. */
  private skip(size: number): number {
    const from = this.at
    if (from + size > this.end) throw this.truncated(from + size - this.end)
    this.at = from + size
    return from
  }

  private size8(): number {
    return this.bytes[this.skip(1)]!
  }

  private size16(): number {
    const from = this.skip(2)
    return (this.bytes[from]! << 8) | this.bytes[from + 1]!
  }

  private size32(): number {
    return this.uint32(this.skip(4))
  }

  private uint32(from: number): number {
    const { bytes } = this
    return bytes[from]! * 0x1000000 + ((bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!)
  }

  private float(size: 4 | 8): Value {
    const from = this.skip(size)
    const { bytes } = this
    this.view ??= new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return float(size === 4 ? this.view.getFloat32(from) : this.view.getFloat64(from))
  }

  private int64(signed: boolean): number | bigint {
    const from = this.skip(8)
    const high = signed ? this.uint32(from) | 0 : this.uint32(from)
    const low = this.uint32(from + 4)
    if (high > -0x200000 && high < 0x200000) return high * 0x100000000 + low
    return int(BigInt(high) * 0x100000000n + BigInt(low))
  }

  /** Count the cost before decoding; throw above the limit. */
  private spend(cost: number): void {
    this.values += cost
    if (this.values > this.maxValues) {
      throw new MsgpackError('TooLarge', `Cannot read message: it has more than the ${this.maxValues} values allowed`)
    }
  }

  /** Throw for a container that needs more bytes than there are, or is nested too deep. */
  private enter(bytes: number, cost: number): void {
    const left = this.end - this.at
    if (bytes > left) throw this.truncated(bytes - left)
    this.spend(cost)
    if (++this.depth > this.maxDepth) {
      throw new MsgpackError('TooDeep', `Cannot read message: it nests deeper than ${this.maxDepth} levels`)
    }
  }

  private array(count: number): Value[] {
    this.enter(count, count + LIST_COST)
    const items: Value[] = []
    for (let i = 0; i < count; i++) items.push(this.value())
    this.depth--
    return items
  }

  private map(count: number): Dict {
    this.enter(2 * count, ENTRY_COST * count + MAPPING_COST)
    const dict: Dict = new Map()
    const leaves = this.depth === 1 ? this.leavesPacked : undefined
    let index: KeyIndex | undefined
    for (let i = 0; i < count; i++) {
      const key = this.key()
      const value = leaves !== undefined && typeof key === 'string' && leaves(key, dict) ? this.packed() : this.value()
      if (typeof key === 'string') dict.set(key, value)
      else this.setKey(dict, key, value, (index ??= new KeyIndex()))
    }
    this.depth--
    return dict
  }

  private packed(): Value {
    const from = this.at
    const walked = walkPlain(this.bytes, from, { end: this.end, mostValues: this.maxPackedValues - this.values })
    if (walked === undefined || walked.end - from < WORTH_LEAVING) return this.value()
    this.at = walked.end
    return new Packed(this.bytes.subarray(from, walked.end), readWire, walked.values)
  }

  private key(): Value {
    const mark = this.at < this.end ? this.bytes[this.at]! : 0
    if (mark < 0xa0 || mark > 0xbf) return this.longKey()
    this.at++
    const size = mark & 0x1f
    const from = this.skip(size)
    return this.shortText(from, size) ?? this.textAt(from, size)
  }

  private longKey(): Value {
    const key = this.value()
    if (!(key instanceof Uint8Array) || this.dialect !== 'raw') return key
    return isUtf8(key) ? Buffer.from(key).toString() : key
  }

  /** Set a key that is no text. */
  private setKey(dict: Dict, key: Value, value: Value, index: KeyIndex): void {
    this.spend(keyCost(dict.size))
    // comparing constants prints their content
    if (key instanceof SaltConstant) throw new MsgpackError('BadKey', 'Cannot read message: a constant as a key')
    try {
      assertHashable(key)
    } catch (error) {
      throw new MsgpackError('BadKey', `Cannot read message: ${(error as PyError).message} as a key`, error)
    }
    const stored = index.firstEqual(key)
    if (stored === undefined) dictSet(dict, key, value)
    else dict.set(stored, value)
  }

  private text(size: number): Value {
    const from = this.skip(size)
    if (this.dialect === 'raw') return this.copy(from, size)
    if (size <= CACHED_LENGTH) {
      const text = this.shortText(from, size)
      if (text !== undefined) return text
    }
    return this.textAt(from, size)
  }

  private binary(size: number): Value {
    const from = this.skip(size)
    return this.dialect === 'wire' ? this.textAt(from, size) : this.copy(from, size)
  }

  /** Text, or bytes when it is no valid UTF-8. */
  private textAt(from: number, size: number): Value {
    if (size > LONG_TEXT && isAscii(this.bytes.subarray(from, from + size))) {
      return this.bytes.toString('latin1', from, from + size)
    }
    if (size > QUICK_LENGTH && !isUtf8(this.bytes.subarray(from, from + size))) return this.copy(from, size)
    const text = this.bytes.toString('utf8', from, from + size)
    // the replacement character may also be part of the text itself
    const doubtful = size <= QUICK_LENGTH && text.includes('\ufffd')
    return doubtful && !isUtf8(this.bytes.subarray(from, from + size)) ? this.copy(from, size) : text
  }

  private copy(from: number, size: number): Uint8Array {
    this.spend(BYTES_COST)
    if (this.views) return this.bytes.subarray(from, from + size)
    const start = this.bytes.byteOffset + from
    return new Uint8Array(this.bytes.buffer.slice(start, start + size))
  }

  /** An ASCII text, from the cache if it was read before; undefined for anything else. */
  private shortText(from: number, size: number): string | undefined {
    const { bytes } = this
    let hash = size
    for (let i = from; i < from + size; i++) {
      const byte = bytes[i]!
      if (byte > 0x7f) return undefined
      hash = (hash * 31 + byte) | 0
    }
    const slot = hash & (CACHED - 1)
    const known = cachedTexts[slot]!
    if (known.length === size && this.isSame(known, from)) return known
    const text = bytes.toString('latin1', from, from + size)
    cachedTexts[slot] = text
    return text
  }

  private isSame(text: string, from: number): boolean {
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== this.bytes[from + i]) return false
    return true
  }

  private extension(size: number): Value {
    const type = (this.size8() << 24) >> 24
    const from = this.skip(size)
    if (this.dialect === 'python') {
      return fromExtension(type, this.copy(from, size), (bytes) => this.inner(bytes, 'python'))
    }
    this.spend(EXTENSION_COST)
    if (type === EXT_DATETIME) return datetimeOf(this.bytes.toString('latin1', from, from + size))
    if (type === EXT_CONSTANT) return this.constant(this.copy(from, size))
    // Salt returns the content of other extension types unchanged
    return this.dialect === 'wire' ? this.textAt(from, size) : this.copy(from, size)
  }

  /** Decode a message inside an extension, within the remaining limits. */
  private inner(bytes: Uint8Array, dialect: MsgpackDialect): Value {
    this.enter(0, 1)
    const { maxDepth, maxValues, depth, values } = this
    const value = decodeMsgpack(bytes, { dialect, maxDepth: maxDepth - depth, maxValues: maxValues - values })
    this.depth--
    return value
  }

  private constant(contents: Uint8Array): SaltConstant {
    const parts = this.inner(contents, 'bus')
    if (Array.isArray(parts) && parts.length === 2 && typeof parts[0] === 'string') {
      return new SaltConstant(parts[0], parts[1]!)
    }
    throw new MsgpackError('BadExtension', 'Cannot read message: a constant holds a name and a value')
  }
}

const DATETIME = /^(\d{4})(\d{2})(\d{2})T(\d{2}):(\d{2}):(\d{2})\.(\d{1,6})$/

function datetimeOf(text: string): PyDatetime {
  const match = DATETIME.exec(text)
  if (match === null) throw badDatetime(text)
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const microsecond = Number(match[7]!.padEnd(6, '0'))
  try {
    return new PyDatetime(year, month, day, { hour, minute, second, microsecond, offset: undefined })
  } catch (error) {
    throw error instanceof PyError ? badDatetime(text, error) : error
  }
}

function badDatetime(text: string, cause?: unknown): MsgpackError {
  return new MsgpackError('BadExtension', `Cannot read message: ${JSON.stringify(text)} is no date and time`, cause)
}
