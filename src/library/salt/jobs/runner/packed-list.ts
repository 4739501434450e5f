// The list of many jobs, built from their packed loads: the values of a job are copied packed, and unpacked when they
// are read.
import {
  decodeMsgpack,
  dictHead,
  EncodedDict,
  encodeMsgpack,
  isDict,
  PackedCursor,
  packedKeys,
} from '../../../../data/mod.ts'
import type { PackedLoads } from '../../../../sdk/mod.ts'
import { formatJob, isTimed, timeOf } from './format.ts'

const FIELDS = ['fun', 'arg', 'tgt', 'tgt_type', 'user', 'kwargs', 'metadata']
const KEYS = packedKeys(FIELDS)
const [ARG, KWARGS, METADATA] = [1, 5, 6]

const packed = (text: string): Buffer => Buffer.from(encodeMsgpack(text, 'bus'))

/** The shown fields of a load, each with its name and its default. */
const SHOWN = [
  [0, packed('Function'), packed('unknown-function')],
  [ARG, packed('Arguments'), Buffer.of(0x90)],
  [2, packed('Target'), packed('unknown-target')],
  [3, packed('Target-type'), packed('list')],
  [4, packed('User'), packed('root')],
] as const
const START_TIME = packed('StartTime')

const ZERO = 0x30

/** By month: the time of a job in that month, whose digits are filled in later. */
const MONTH_TIMES = Array.from({ length: 13 }, (_, month) =>
  month === 0 ? undefined : packed(timeOf(`0000${String(month).padStart(2, '0')}00000000000000`)),
)

/** The positions of the digits in a packed time, each with its index in the job id. */
const DIGITS = digitPlaces()

function digitPlaces(): number[] {
  const hours = timeOf('00000100000000000000')
  const places = [...hours].flatMap((digit, index) => (digit === '0' ? [index + 1] : []))
  // the digits of the month are not shown
  const shown = Array.from({ length: 20 }, (_, index) => index).filter((index) => index !== 4 && index !== 5)
  return places.flatMap((place, index) => [place, shown[index]!])
}

const DICT_OF_SIX = 0x86
const NONE = 0xc0
const EMPTY_DICT = 0x80

/** Bytes of a job besides its id and the copied values: names, defaults and the time. */
const MOST_ADDED = 256

const isMapping = (mark: number): boolean => (mark >= 0x80 && mark < 0x90) || mark === 0xde || mark === 0xdf

/** Writes jobs one behind the other. */
class ListWriter {
  bytes: Buffer
  at = 0
  private readonly cursor: PackedCursor
  private readonly from = new Int32Array(FIELDS.length)
  private readonly to = new Int32Array(FIELDS.length)

  constructor({ bytes, jids }: PackedLoads, head: Uint8Array) {
    this.cursor = new PackedCursor(bytes)
    this.bytes = Buffer.allocUnsafe(head.length + bytes.length + (jids.length + 1) * MOST_ADDED)
    this.bytes.set(head)
    this.at = head.length
  }

  /** Write a job. */
  job(jid: string, start: number, end: number): void {
    this.ascii(jid)
    const jidAt = this.at - jid.length
    if (this.scan(start, end)) this.fields(jid, jidAt)
    else {
      const load = decodeMsgpack(this.cursor.bytes.subarray(start, end), { dialect: 'bus' })
      this.copy(Buffer.from(encodeMsgpack(formatJob(jid, isDict(load) ? load : new Map()), 'bus')))
    }
  }

  /** Find the fields of a load; return false if they cannot be shown unconverted. */
  private scan(start: number, end: number): boolean {
    const { cursor, from, to } = this
    from.fill(-1)
    cursor.at = start
    const count = cursor.map()
    if (count === undefined) return false
    for (let i = 0; i < count; i++) {
      const field = cursor.key(KEYS)
      const at = cursor.at
      cursor.skip()
      if (field < 0) continue
      from[field] = at
      to[field] = cursor.at
    }
    if (cursor.at !== end || from[METADATA]! >= 0) return false
    if (from[KWARGS]! >= 0 && cursor.bytes[from[KWARGS]!] !== EMPTY_DICT) return false
    return from[ARG]! < 0 || this.isPlainList(from[ARG]!)
  }

  /** Return whether the value is a list without dicts, which may contain metadata. */
  private isPlainList(at: number): boolean {
    const { cursor } = this
    cursor.at = at
    const count = cursor.list()
    if (count === undefined) return false
    for (let i = 0; i < count; i++) {
      if (isMapping(cursor.mark)) return false
      cursor.skip()
    }
    return true
  }

  private fields(jid: string, jidAt: number): void {
    const { cursor, from, to } = this
    this.bytes[this.at++] = DICT_OF_SIX
    for (let i = 0; i < SHOWN.length; i++) {
      const [field, name, missing] = SHOWN[i]!
      this.copy(name)
      const at = from[field]!
      if (at < 0 || cursor.bytes[at] === NONE) this.copy(missing)
      else this.copy(cursor.bytes, at, to[field]!)
    }
    this.copy(START_TIME)
    this.time(jid, jidAt)
  }

  /** Write the time of the job id that was just written. */
  private time(jid: string, jidAt: number): void {
    const { bytes } = this
    const month = MONTH_TIMES[(bytes[jidAt + 4]! - ZERO) * 10 + bytes[jidAt + 5]! - ZERO]
    if (month === undefined) return this.ascii(timeOf(jid))
    const { at } = this
    this.copy(month)
    for (let i = 0; i < DIGITS.length; i += 2) this.bytes[at + DIGITS[i]!] = this.bytes[jidAt + DIGITS[i + 1]!]!
  }

  private copy(bytes: Buffer, from = 0, to: number = bytes.length): void {
    const size = to - from
    if (this.at + size + MOST_ADDED > this.bytes.length) this.grow(size)
    // most values are short, and a call costs more than copying their bytes
    const { bytes: target, at } = this
    if (size > 48) bytes.copy(target, at, from, to)
    else for (let i = 0; i < size; i++) target[at + i] = bytes[from + i]!
    this.at += size
  }

  private grow(size: number): void {
    const larger = Buffer.allocUnsafe(this.bytes.length * 2 + size + MOST_ADDED)
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }

  /** Write a text of fewer than 256 ASCII characters. */
  private ascii(text: string): void {
    const size = text.length
    if (this.at + size + MOST_ADDED > this.bytes.length) this.grow(size)
    if (size < 32) this.bytes[this.at++] = 0xa0 | size
    else {
      this.bytes[this.at++] = 0xd9
      this.bytes[this.at++] = size
    }
    for (let i = 0; i < size; i++) this.bytes[this.at++] = text.charCodeAt(i)
  }
}

/** Characters of the longest id that a list is made of. */
const LONGEST_JID = 200

/** Return the list of all jobs with a time; undefined if it has to be made in another way. */
export function packedList(loads: PackedLoads): EncodedDict | undefined {
  if (loads.jids.some((jid) => jid.length > LONGEST_JID)) return undefined
  const isShown = loads.jids.map(isTimed)
  const keys = loads.jids.filter((_, index) => isShown[index])
  const writer = new ListWriter(loads, dictHead(keys.length))
  const ends: number[] = []
  for (const [index, jid] of loads.jids.entries()) {
    if (!isShown[index]) continue
    writer.job(jid, index === 0 ? 0 : loads.ends[index - 1]!, loads.ends[index]!)
    ends.push(writer.at)
  }
  return new EncodedDict({ keys, bytes: writer.bytes.subarray(0, writer.at), ends })
}
