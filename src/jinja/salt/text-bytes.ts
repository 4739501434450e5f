// Salt's conversions between text and bytes: several encodings can be tried in order, and other values are refused with
// the same error.
import {
  decodeBytes,
  encodeText,
  PyError,
  textOf,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { classText } from './python-type.ts'

const neither = (value: Value): PyError => typeError(`expected str, bytes, or bytearray not ${classText(value)}`)

/** The encodings to try, by default UTF-8. */
function encodings(encoding: Value): Value[] {
  if (encoding === null) return ['utf-8']
  const names = Array.isArray(encoding) ? encoding : [encoding]
  if (names.length === 0) throw valueError('encoding cannot be empty')
  return names
}

function argument(value: Value, name: string): string {
  const text = textOf(value)
  if (text === undefined) throw typeError(`encode() argument '${name}' must be str, not ${shownType(value)}`)
  return text
}

const shownType = (value: Value): string => (value === null ? 'None' : typeName(value))

/** The bytes of text or bytes; the first encoding that can hold the text is taken. */
export function toBytes(value: Value, encoding: Value = null, errors: Value = 'strict'): Uint8Array {
  const names = encodings(encoding)
  if (value instanceof Uint8Array) return value
  const text = textOf(value)
  if (text === undefined) throw neither(value)
  let failure: unknown
  for (const name of names) {
    try {
      return encodeText(text, argument(name, 'encoding'), argument(errors, 'errors'))
    } catch (error) {
      if (!(error instanceof PyError && error.code === 'UnicodeEncodeError')) throw error
      failure = error
    }
  }
  throw failure
}

/** The text of text or UTF-8 bytes. */
export function toText(value: Value): string {
  const text = textOf(value)
  if (text !== undefined) return text
  if (value instanceof Uint8Array) return decodeBytes(value)
  throw neither(value)
}
