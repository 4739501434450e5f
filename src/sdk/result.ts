// Converts the result of a body to a value: plain objects become dicts, `undefined` becomes None. Other values are
// returned without a copy.
import { Float, PyObject, type Value } from '../data/mod.ts'
import type { Result } from './description.ts'

export function toValue(result: Result): Value {
  if (result === undefined) return null
  if (typeof result !== 'object' || result === null) return result
  if (Array.isArray(result)) return result.some(needsWork) ? (result as Result[]).map(toValue) : (result as Value[])
  if (!isPlain(result)) return result
  const dict = new Map<Value, Value>()
  for (const key in result) if (Object.hasOwn(result, key)) dict.set(key, toValue(result[key]))
  return dict
}

function isPlain(result: object): result is { readonly [key: string]: Result } {
  return !(
    result instanceof Map ||
    result instanceof PyObject ||
    result instanceof Float ||
    result instanceof Uint8Array ||
    Array.isArray(result)
  )
}

function needsWork(item: Result): boolean {
  if (item === undefined) return true
  if (typeof item !== 'object' || item === null) return false
  return Array.isArray(item) ? item.some(needsWork) : isPlain(item)
}
