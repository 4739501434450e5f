// `no_log`: every text in comment and changes is hidden, numbers and shape stay.
import { HIDDEN, type Value } from '../../data/mod.ts'

export function masked(value: Value): Value {
  if (typeof value === 'string') return value === '' ? value : HIDDEN
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, masked(item)]))
  return Array.isArray(value) ? value.map(masked) : value
}
