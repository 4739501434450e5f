// What both directions share: Salt's two ways of writing MessagePack, its extension types, and what can go wrong.
import { BrineError } from '../../base/mod.ts'
import { repr } from '../repr.ts'
import { PyObject, type Value } from '../value.ts'

/**
 * `wire`, inside network payloads: text and bytes alike in the raw family of the old specification; whoever reads
 * takes for text what is valid UTF-8. `bus`, for events, caches and frames: text as str, bytes as bin. `python`, with a
 * Python process of ours: as `bus`, with extension types for all that Python tells apart.
 */
export type MsgpackDialect = 'wire' | 'bus' | 'python'

export const EXT_DATETIME = 78
export const EXT_CONSTANT = 79

/** Levels of containers in a message that is written or read; Python's encoder stops there too. */
export const MAX_DEPTH = 511

/** Levels of a message from another machine. The rest is for what wraps it on its way: events, job records, answers. */
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

/** A named constant of Salt's own, such as "not set"; travels as an extension. */
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
