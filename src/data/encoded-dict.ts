// A dict that is made of the same entries again and again, such as a list of jobs: each entry is encoded once.
import { Encoded } from './encoded.ts'
import { dumpJson } from './json/mod.ts'
import { encodeMsgpack, joinEntries } from './msgpack/mod.ts'
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

export class EncodedDict extends Encoded {
  readonly typeName = 'dict'
  /** No two of them have the same key. */
  readonly entries: readonly EncodedEntry[]
  private joined: Uint8Array | undefined

  /** `packed` has the bytes of all entries, where these are at hand in one piece. */
  constructor(entries: readonly EncodedEntry[], packed?: Uint8Array) {
    super()
    this.entries = entries
    if (packed) this.joined = joinEntries([packed], entries.length)
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
