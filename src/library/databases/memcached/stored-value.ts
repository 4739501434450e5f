// Values in memcached's form: bytes, with flags for their type. The flags are those of python-memcached, so that Python
// programs, Salt and Brine can read each other's values.
import { deflateSync, inflateSync } from 'node:zlib'
import {
  encodeText,
  intFromText,
  isInt,
  misuse,
  str,
  textOf,
  textOrBytes,
  typeName,
  type Value,
} from '../../../data/mod.ts'

/** The stored form of a value. */
export interface Stored {
  readonly flags: number
  readonly bytes: Uint8Array
}

const INTEGER = 2
const LONG = 4
const COMPRESSED = 8
const TEXT = 16

/** In bytes: a value that would be larger stays compressed. */
const MOST_UNPACKED = 64 * 1024 * 1024

/** Return the stored form of a value; above `minCompress` bytes it is compressed, unless that is 0. */
export function packed(key: string, value: Value, minCompress = 0): Stored {
  const plain = encoded(key, value)
  if (minCompress <= 0 || plain.bytes.length <= minCompress) return plain
  const bytes = deflateSync(plain.bytes)
  return bytes.length < plain.bytes.length ? { flags: plain.flags | COMPRESSED, bytes } : plain
}

function encoded(key: string, value: Value): Stored {
  const text = textOf(value)
  if (text !== undefined) return { flags: TEXT, bytes: encodeText(text) }
  if (isInt(value)) return { flags: INTEGER, bytes: encodeText(str(value)) }
  throw misuse(`Value of key '${key}' must be a text or an integer, not ${typeName(value)}`)
}

/** Return a text or an integer; other values, such as a pickled Python object, as their stored bytes. */
export function unpacked({ flags, bytes }: Stored): Value {
  const plain = (flags & COMPRESSED) === 0 ? bytes : inflated(bytes)
  const kind = flags & ~COMPRESSED
  if (plain === undefined || (kind !== 0 && (kind & (TEXT | INTEGER | LONG)) === 0)) return bytes
  const value = textOrBytes(plain)
  // a number that was counted down keeps its length: blanks follow it
  if (typeof value === 'string' && (kind & (INTEGER | LONG)) !== 0)
    return /^-?\d+ *$/.test(value) ? intFromText(value) : bytes
  return value
}

function inflated(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: MOST_UNPACKED })
  } catch {
    return undefined
  }
}
