// Salt's own conversions between text and bytes: several encodings may be tried in turn, and what is neither is
// refused with the same words everywhere.
import { decodeBytes, encodeText, PyError, str, textOf, typeError, type Value, valueError } from '../../data/mod.ts'
import { classText } from './python-type.ts'

const neither = (value: Value): PyError => typeError(`expected str, bytes, or bytearray not ${classText(value)}`)

/** The encodings to try, by default UTF-8. */
function encodings(encoding: Value): string[] {
  if (encoding === null) return ['utf-8']
  const names = Array.isArray(encoding) ? encoding : [encoding]
  if (names.length === 0) throw valueError('encoding cannot be empty')
  return names.map(str)
}

/** The first result that is no error of that kind, else the last error. */
function firstThatWorks<T>(names: string[], code: string, attempt: (encoding: string) => T): T {
  let failure: unknown
  for (const name of names) {
    try {
      return attempt(name)
    } catch (error) {
      if (!(error instanceof PyError && error.code === code)) throw error
      failure = error
    }
  }
  throw failure
}

/** The bytes of text or bytes. */
export function toBytes(value: Value, encoding: Value = null, errors = 'strict'): Uint8Array {
  const names = encodings(encoding)
  if (value instanceof Uint8Array) return value
  const text = textOf(value)
  if (text === undefined) throw neither(value)
  return firstThatWorks(names, 'UnicodeEncodeError', (name) => encodeText(text, name, errors))
}

/** The text of text or UTF-8 bytes. */
export function toText(value: Value): string {
  const text = textOf(value)
  if (text !== undefined) return text
  if (value instanceof Uint8Array) return decodeBytes(value)
  throw neither(value)
}
