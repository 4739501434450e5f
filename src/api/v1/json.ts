// Values of Salt as JSON that every program reads: keys as text, no NaN, whole numbers beyond 2^53 as text.
import { Float, isDict, isList, PyStr, str, type Value } from '../../data/mod.ts'

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Return a value as JSON has it. The type says nothing: the schemas of routes do. */
export const toJson = (value: Value): unknown => jsonOf(value)

function jsonOf(value: Value): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()
    default:
  }
  if (value === null) return null
  if (value instanceof Float) return jsonOf(value.value)
  if (value instanceof PyStr) return value.value
  if (isList(value)) return value.map(jsonOf)
  if (isDict(value)) return objectOf([...value].map(([key, item]) => [str(key), jsonOf(item)]))
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8')
  return str(value)
}

/** Build an object whose keys are data: `__proto__` is an ordinary key. */
function objectOf(entries: Array<[string, Json]>): { [key: string]: Json } {
  const object: { [key: string]: Json } = Object.create(null)
  for (const [key, item] of entries) object[key] = item
  return object
}

/** Seconds since 1970 as a time of ISO 8601. */
export const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString()
