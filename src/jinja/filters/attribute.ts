// The `attribute` argument that many filters share: a name, a path with dots, or an index; digits in a path are indices.
import { intFromText, textOf, type Value } from '../../data/mod.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { Undefined } from '../runtime/undefined.ts'

export type Getter = (item: Value) => Value

function partsOf(attribute: Value): Value[] {
  if (attribute === null) return []
  const path = textOf(attribute)
  if (path === undefined) return [attribute]
  return path.split('.').map((part) => (/^\d+$/.test(part) ? intFromText(part) : part))
}

/** Looks the attribute up with the rules of `item[…]`; None means the item itself. */
export function attributeGetter(rt: Runtime, attribute: Value, fallback: Value = null): Getter {
  const parts = partsOf(attribute)
  return (item) => {
    let found = item
    for (const part of parts) {
      found = rt.getItem(found, part)
      if (fallback !== null && found instanceof Undefined) found = fallback
    }
    return found
  }
}

/** Return a getter for several attributes, separated by commas. */
export function attributesGetter(rt: Runtime, attributes: Value): (item: Value) => Value[] {
  const names = textOf(attributes)?.split(',') ?? [attributes]
  const getters = names.map((name) => attributeGetter(rt, name))
  return (item) => getters.map((get) => get(item))
}

/** Return text in lower case, for comparison without case; other values unchanged. */
export function ignoreCase(value: Value): Value {
  const text = textOf(value)
  return text === undefined ? value : text.toLowerCase()
}
