// Values as the goldens write them: plain JSON in which tuples are lists and keys are text. The order of keys does not
// count, so they are sorted.
import { Float, floatText, str, textOf, type Value } from '../../../src/data/mod.ts'
import type { Json } from '../area.ts'

/** A float keeps its point by becoming a text that no string of the data is. */
const floatMark = (n: number): string => `\0float ${floatText(n)}`

function keyText(key: Value): string {
  if (key === null) return 'null'
  if (typeof key === 'boolean') return String(key)
  return textOf(key) ?? str(key)
}

export function projected(value: Value): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isInteger(value) ? value : floatMark(value)
  if (value instanceof Float) return floatMark(value.value)
  if (Array.isArray(value)) return value.map(projected)
  if (value instanceof Map) return sorted([...value].map(([key, item]) => [keyText(key), projected(item)]))
  return textOf(value) ?? str(value)
}

function sorted(entries: Array<[string, Json]>): Json {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}
