// Shared parts of both directions: Salt's two MessagePack dialects, extension types, and errors.
import { BrineError } from '../../base/mod.ts'
import { repr } from '../repr.ts'
import { PyObject, type Value } from '../value.ts'

/**
 * `wire`, in network payloads: text and bytes both use the raw family of the old specification, and the decoder treats
 * valid UTF-8 as text. `bus`, for events, caches and frames: text as str, bytes as bin. `python`, for Brine's Python
 * processes: like `bus`, with extension types for all types that Python distinguishes.
 */
export type MsgpackDialect = 'wire' | 'bus' | 'python'

export const EXT_DATETIME = 78
export const EXT_CONSTANT = 79

/** Nesting limit for encoding and decoding; the same as in Python's encoder. */
export const MAX_DEPTH = 511

/** Nesting limit for a message from another machine. The rest is for its wrappers: events, job records, answers. */
export const FOREIGN_DEPTH = 448

export type MsgpackErrorCode =
  | 'Truncated'
  | 'ExtraData'
  | 'TooDeep'
  | 'TooLarge'
  | 'BadFormat'
  | 'BadExtension'
  | 'BadKey'
  | 'Unserializable'

export class MsgpackError extends BrineError<MsgpackErrorCode> {
  constructor(code: MsgpackErrorCode, message: string, cause?: unknown) {
    super(code, message, { cause })
    this.name = 'MsgpackError'
  }
}

/** A named constant of Salt's, such as "not set"; encoded as an extension. */
export class SaltConstant extends PyObject {
  readonly typeName = '_Constant'
  readonly name: string
  readonly value: Value

  constructor(name: string, value: Value) {
    super()
    this.name = name
    this.value = value
  }

  override repr(): string {
    const value = this.value === null ? '' : ` value=${typeof this.value === 'string' ? this.value : repr(this.value)}`
    return `<Constant.${this.name}${value}>`
  }

  override equals(other: Value): boolean {
    return other instanceof SaltConstant && other.repr() === this.repr()
  }
}
