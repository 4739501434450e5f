// Salt's recursive change of text to bytes in nested data, keys included. A value that holds itself becomes None at the
// place where it does.
import { type Dict, dictSet, isDict, iterate, PyError, Tuple, textOf, type Value } from '../../data/mod.ts'
import { pairsOf } from '../filters/argument.ts'
import { toBytes } from './text-bytes.ts'

export interface EncodeOptions {
  encoding: Value
  errors: Value
  /** Leave text that cannot be encoded as it is. */
  keep: boolean
  preserveTuples: boolean
}

class Encoder {
  private readonly options: EncodeOptions
  private readonly above = new Set<Value>()

  constructor(options: EncodeOptions) {
    this.options = options
  }

  items(data: Value): Value[] {
    return this.below(data, () => Array.from(iterate(data), (item) => this.value(item)))
  }

  entries(data: Value): Dict {
    return this.below(data, () => {
      const encoded: Dict = new Map()
      for (const [key, value] of pairsOf(data)) dictSet(encoded, this.value(key), this.value(value))
      return encoded
    })
  }

  private value(data: Value): Value {
    if (!Array.isArray(data) && !isDict(data)) return this.scalar(data)
    if (this.above.has(data)) return null
    if (isDict(data)) return this.entries(data)
    const items = this.items(data)
    return data instanceof Tuple && this.options.preserveTuples ? Tuple.from(items) : items
  }

  private scalar(data: Value): Value {
    if (textOf(data) === undefined) return data
    const { encoding, errors, keep } = this.options
    try {
      return toBytes(data, encoding, errors)
    } catch (error) {
      // an encoding that is no name leaves text as it is, as in Salt
      const excused = keep ? ['TypeError', 'UnicodeEncodeError'] : ['TypeError']
      if (error instanceof PyError && excused.includes(error.code)) return data
      throw error
    }
  }

  private below<T>(data: Value, run: () => T): T {
    this.above.add(data)
    try {
      return run()
    } finally {
      this.above.delete(data)
    }
  }
}

/** The items of anything that can be gone through, text as bytes. */
export const encodeItems = (data: Value, options: EncodeOptions): Value[] => new Encoder(options).items(data)

/** A dict with text as bytes; anything else fails as `data.items()` does. */
export const encodeEntries = (data: Value, options: EncodeOptions): Dict => new Encoder(options).entries(data)
