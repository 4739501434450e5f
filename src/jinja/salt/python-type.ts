// Python's view of a value's type for Salt's filters: how `type(x)` prints, whether it is hashable or a sequence.
import { PyObject, PyRange, PyStr, qualifiedTypeName, Tuple, typeName, type Value } from '../../data/mod.ts'
import { PyGenerator } from '../runtime/generator.ts'
import { Undefined } from '../runtime/undefined.ts'

/** `str(type(value))`. */
export const classText = (value: Value): string => `<class '${qualifiedTypeName(value)}'>`

/** `type(value).__name__`. */
export const className = (value: Value): string => typeName(value).replace(/^.*\./, '')

/** `isinstance(value, Hashable)`: asks the type only, so a tuple of lists counts and an undefined value does too. */
export function isHashableType(value: Value): boolean {
  if (Array.isArray(value)) return value instanceof Tuple
  if (value instanceof Map) return false
  return !(value instanceof PyObject) || value instanceof Undefined || value.key() !== undefined
}

/** `isinstance(value, (list, tuple, GeneratorType))`. */
export function isListLike(value: Value): value is Value[] | PyGenerator {
  return Array.isArray(value) || value instanceof PyGenerator
}

/** `isinstance(value, Sequence)`. */
export function isSequence(value: Value): value is string | PyStr | Uint8Array | Value[] | PyRange {
  if (typeof value === 'string' || Array.isArray(value) || value instanceof Uint8Array) return true
  return value instanceof PyStr || value instanceof PyRange
}
