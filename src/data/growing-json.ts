// The JSON of a packed dict that grows by appended entries, such as a list of jobs. Entries of the last time are
// neither read nor written again.
import { dumpJson } from './json/mod.ts'
import { decodeMsgpack, joinEntries, type Packed, PackedCursor } from './msgpack/mod.ts'

/** The last dict. */
interface Written {
  count: number
  /** Keys and values, packed. */
  entries: Buffer
  /** The same as JSON, without the closing bracket. */
  json: Buffer
}

const NOTHING: Written = { count: 0, entries: Buffer.alloc(0), json: Buffer.from('{') }

/** Bytes of the packed dict that is kept; its JSON is up to about twice as long. */
const MOST_BYTES = 8 << 20

const isBeginning = (part: Buffer, whole: Buffer): boolean =>
  part.length <= whole.length && part.equals(whole.subarray(0, part.length))

export class GrowingJson {
  private last = NOTHING
  private readonly mostBytes: number
  /** Entries that were read. */
  read = 0

  constructor(mostBytes = MOST_BYTES) {
    this.mostBytes = mostBytes
  }

  /**
   * Return a packed dict with its JSON; undefined if the value is no dict, or too long to cache. The keys of the dict
   * must be unique.
   */
  of(packed: Packed): Packed | undefined {
    const cursor = new PackedCursor(packed.bytes)
    const count = cursor.map()
    if (count === undefined || packed.bytes.length > this.mostBytes) return undefined
    const entries = cursor.bytes.subarray(cursor.at)
    const known = isBeginning(this.last.entries, entries) ? this.last : NOTHING
    const added = count - known.count
    this.read += added
    const json = added === 0 ? known.json : Buffer.concat([known.json, addition(known, entries, added)])
    this.last = { count, entries, json }
    return packed.withJson(Buffer.concat([json, CLOSING]))
  }
}

const CLOSING = Buffer.from('}')

/** Return the JSON of the entries that come after the known entries. */
function addition(known: Written, entries: Buffer, count: number): Buffer {
  const rest = joinEntries([entries.subarray(known.entries.length)], count)
  const text = dumpJson(decodeMsgpack(rest, { dialect: 'bus' }), { ensureAscii: false }).slice(1, -1)
  return Buffer.from(known.count === 0 ? text : `, ${text}`)
}
