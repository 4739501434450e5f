// Text about data of others: at most so many characters of it, however large it is.
import { repr, str } from './repr.ts'
import { isNumeric, PyStr, typeName, type Value } from './value.ts'

/** Characters counted for a container or an object, besides its content. */
const EACH = 4

/**
 * Return `str(value)` for a text or a number; of anything that nests, only about the first `most` characters. Use it where a
 * request names something: a name does not nest.
 */
export function briefStr(value: Value, most = 1000): string {
  return isPlain(value) ? str(value) : repr(beginning(value, { left: most }))
}

const isPlain = (value: Value): boolean =>
  typeof value === 'string' || value === null || isNumeric(value) || value instanceof PyStr

/** Copy the beginning of a value, as far as the characters reach. */
function beginning(value: Value, budget: { left: number }): Value {
  budget.left -= EACH
  if (typeof value === 'string') {
    const text = value.slice(0, Math.max(0, budget.left))
    budget.left -= text.length
    return text
  }
  if (value instanceof Uint8Array) {
    const bytes = value.subarray(0, Math.max(0, budget.left))
    budget.left -= bytes.length
    return bytes
  }
  if (Array.isArray(value)) {
    const items: Value[] = []
    for (const item of value) {
      if (budget.left <= 0) break
      items.push(beginning(item, budget))
    }
    return items
  }
  if (value instanceof Map) {
    const entries = new Map<Value, Value>()
    for (const [key, item] of value) {
      if (budget.left <= 0) break
      entries.set(beginning(key, budget), beginning(item, budget))
    }
    return entries
  }
  return isPlain(value) ? value : `<${typeName(value)}>`
}
