// Keys that Salt uses as text without a check: another type fails as in Python and ends the call.
import { PyError, textOf, typeName, type Value } from '../../data/mod.ts'

export function textKey(key: Value): string {
  const text = textOf(key)
  if (text === undefined) throw new PyError('AttributeError', `'${typeName(key)}' object has no attribute 'startswith'`)
  return text
}

/** `__sls__`, `__env__` and their like, which are no states. */
export const isDunder = (key: Value): boolean => textKey(key).startsWith('__')

/** The first key of a dict that has one. */
export function firstKey(dict: ReadonlyMap<Value, Value>): Value | undefined {
  for (const key of dict.keys()) return key
  return undefined
}
