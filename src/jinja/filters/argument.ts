// Checks and conversions of filter arguments, with Python's errors for wrong types.
import { isDict, noAttribute, typeError, typeName, type Value } from '../../data/mod.ts'

export { noAttribute }

/** The number behind an int or bool. */
export function integerArgument(value: Value): number {
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** The pairs of `value.items()`. */
export function pairsOf(value: Value): Iterable<[Value, Value]> {
  return isDict(value) ? value : noAttribute(value, 'items')
}
