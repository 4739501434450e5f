// Salt's recursive change between text and bytes in nested data, keys included. A value that holds itself becomes
// None at the place where it does.
import { type Dict, decodeBytes, dictSet, isDict, iterate, PyError, Tuple, textOf, type Value } from '../../data/mod.ts'
import { pairsOf } from '../filters/argument.ts'
import { toBytes } from './text-bytes.ts'

type Convert = (scalar: Value) => Value

class Recoder {
  private readonly convert: Convert
  private readonly keepTuples: boolean
  private readonly above = new Set<Value>()

  constructor(convert: Convert, keepTuples: boolean) {
    this.convert = convert
    this.keepTuples = keepTuples
  }

  value(data: Value): Value {
    if (!Array.isArray(data) && !isDict(data)) return this.convert(data)
    if (this.above.has(data)) return null
    const recoded = isDict(data) ? this.entries(data) : this.items(data)
    return data instanceof Tuple && this.keepTuples ? Tuple.from(recoded as Value[]) : recoded
  }

  items(data: Value): Value[] {
    return this.below(data, () => Array.from(iterate(data), (item) => this.value(item)))
  }

  entries(data: Value): Dict {
    return this.below(data, () => {
      const recoded: Dict = new Map()
      for (const [key, value] of pairsOf(data)) dictSet(recoded, this.value(key), this.value(value))
      return recoded
    })
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

export interface EncodeOptions {
  encoding: Value
  errors: Value
  /** Leave text that cannot be encoded as it is. */
  keep: boolean
  preserveTuples: boolean
}

function encoder({ encoding, errors, keep, preserveTuples }: EncodeOptions): Recoder {
  const convert = (scalar: Value): Value => {
    if (textOf(scalar) === undefined) return scalar
    try {
      return toBytes(scalar, encoding, errors)
    } catch (error) {
      // an encoding that is no name leaves text as it is, as in Salt
      const excused = keep ? ['TypeError', 'UnicodeEncodeError'] : ['TypeError']
      if (error instanceof PyError && excused.includes(error.code)) return scalar
      throw error
    }
  }
  return new Recoder(convert, preserveTuples)
}

/** The items of anything that can be gone through, text as bytes. */
export const encodeItems = (data: Value, options: EncodeOptions): Value[] => encoder(options).items(data)

/** A dict with text as bytes; anything else fails as `data.items()` does. */
export const encodeEntries = (data: Value, options: EncodeOptions): Dict => encoder(options).entries(data)
