// The part of nested dicts that a path of keys leads to.
import { dictGet } from './dict.ts'
import type { Dict, Value } from './value.ts'

/** Return the value at a path of nested dicts; an empty dict if it does not exist. */
export function subtree(data: Dict, path: readonly string[]): Dict {
  let value: Value = data
  for (const name of path) {
    const found: Value | undefined = value instanceof Map ? dictGet(value, name) : undefined
    if (found === undefined) return new Map()
    value = found
  }
  return path.reduceRight<Value>((inner, name) => new Map([[name, inner]]), value) as Dict
}
