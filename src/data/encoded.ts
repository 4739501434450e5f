// Values in encoded form. Encoders copy the bytes, and each reader decodes a value of its own, so changes by one reader
// do not affect others.
import { PyObject, type Value } from './value.ts'

export abstract class Encoded extends PyObject {
  /** The value in MessagePack, in the dialect `bus`. */
  abstract readonly bytes: Uint8Array
  /** The value as JSON on one line, with text beyond ASCII as it is; undefined if that is not at hand. */
  abstract readonly json: Uint8Array | undefined

  /** Return the value. */
  abstract unpack(): Value
}

/** Return the value of an encoded value, and any other value as it is. */
export const readValue = (value: Value): Value => (value instanceof Encoded ? value.unpack() : value)
