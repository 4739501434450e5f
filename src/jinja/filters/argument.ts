// What filters ask of their arguments, with the errors Python raises for the wrong type.
import { isDict, PyError, typeError, typeName, type Value } from '../../data/mod.ts'
import { Undefined } from '../runtime/undefined.ts'

/** The number behind an int or bool. */
export function integer(value: Value): number {
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
}

/** Fails as `value.name` does where there is no such attribute. */
export function noAttribute(value: Value, name: string): never {
  if (value instanceof Undefined) value.fail()
  throw new PyError('AttributeError', `'${typeName(value)}' object has no attribute '${name}'`)
}

/** The pairs of `value.items()`. */
export function pairsOf(value: Value): Iterable<[Value, Value]> {
  return isDict(value) ? value : noAttribute(value, 'items')
}
