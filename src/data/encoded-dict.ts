// A dict that is often built from the same entries, such as a list of jobs: each entry is encoded once.
import { Encoded } from './encoded.ts'
import { dumpJson } from './json/mod.ts'
import { dictHead, encodeMsgpack, joinEntries, PackedCursor } from './msgpack/mod.ts'
import type { Dict, Value } from './value.ts'

/** One entry, for many dicts. Its value must not change after it was encoded. */
export class EncodedEntry {
  readonly key: string
  private readonly make: () => Value
  private packed: Uint8Array | undefined
  private written: Uint8Array | undefined

  /** `make` returns a new value at each call. */
  constructor(key: string, make: () => Value) {
    this.key = key
    this.make = make
  }

  /** Return the value, which the caller may change. */
  value(): Value {
    return this.make()
  }

  private alone(): Dict {
    return new Map([[this.key, this.make()]])
  }

  /** Key and value in MessagePack, in the dialect `bus`. */
  get bytes(): Uint8Array {
    // a copy: the message is a view of a chunk of memory, which the entry would hold
    this.packed ??= encodeMsgpack(this.alone(), 'bus').slice(DICT_OF_ONE_BYTES)
    return this.packed
  }

  /** Key and value as JSON, behind a separator. */
  get json(): Uint8Array {
    this.written ??= utf8.encode(SEPARATOR + dumpJson(this.alone(), { ensureAscii: false }).slice(1, -1))
    return this.written
  }
}

const utf8 = new TextEncoder()
const SEPARATOR = ', '

/** Bytes before the entry of a dict that has no other. */
const DICT_OF_ONE_BYTES = 1

/** A dict in one piece. */
export interface PackedEntries {
  /** Unique keys. */
  keys: readonly string[]
  /** The dict in MessagePack, in the dialect `bus`. */
  bytes: Uint8Array
  /** The end position of each entry. */
  ends: readonly number[]
}

export class EncodedDict extends Encoded {
  readonly typeName = 'dict'
  readonly keys: readonly string[]
  private made: readonly EncodedEntry[] | undefined
  private readonly packed: PackedEntries | undefined
  private joined: Uint8Array | undefined

  /** Keys of entries must be unique. */
  constructor(entries: readonly EncodedEntry[] | PackedEntries) {
    super()
    if ('ends' in entries) {
      this.packed = entries
      this.keys = entries.keys
      this.joined = entries.bytes
    } else {
      this.made = entries
      this.keys = entries.map(({ key }) => key)
    }
  }

  get entries(): readonly EncodedEntry[] {
    this.made ??= entriesOf(this.packed!)
    return this.made
  }

  get bytes(): Uint8Array {
    this.joined ??= joinEntries(this.entries.map(({ bytes }) => bytes))
    return this.joined
  }

  get json(): Uint8Array {
    if (this.entries.length === 0) return Buffer.from('{}')
    const all = Buffer.concat([...this.entries.map(({ json }) => json), Buffer.from('}')])
    // the bracket takes the place of the separator before the first entry
    const text = all.subarray(SEPARATOR.length - 1)
    text.write('{')
    return text
  }

  unpack(): Dict {
    return new Map(this.entries.map((entry) => [entry.key, entry.value()]))
  }
}

function entriesOf({ keys, bytes, ends }: PackedEntries): EncodedEntry[] {
  return keys.map((key, index) => {
    const value = (): Value => {
      const cursor = new PackedCursor(bytes, index === 0 ? dictHead(keys.length).length : ends[index - 1]!)
      cursor.skip()
      return cursor.value()
    }
    return new EncodedEntry(key, value)
  })
}
