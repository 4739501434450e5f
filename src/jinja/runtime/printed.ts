// Prints a value for `{{ … }}`: Salt prints mappings of every type so that YAML can read them, and text in them with
// escapes that YAML lacks as a double-quoted scalar.
import {
  Float,
  NamedTuple,
  PyError,
  PyObject,
  quote,
  repr,
  str,
  Tuple,
  textOf,
  typeError,
  type Value,
} from '../../data/mod.ts'
import { dump } from '../../yaml/mod.ts'

const DEEPEST = 900

export function printed(value: Value): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || value instanceof Float) return str(value)
  if (value instanceof Map) return dictText(value, true, 0)
  return Array.isArray(value) ? listText(value, 0) : str(value)
}

function dictText(map: Map<Value, Value>, top: boolean, depth: number): string {
  const parts: string[] = []
  for (const [key, value] of map) {
    const text = textOf(value)
    const shown = text !== undefined && NEEDS_QUOTES.test(text) ? doubleQuoted(text) : nested(value, top, depth + 1)
    parts.push(`${repr(key)}: ${shown}`)
  }
  return `{${parts.join(', ')}}`
}

const NEEDS_QUOTES = /[\n\r\t]/

function doubleQuoted(text: string): string {
  return dump(text, { default_style: '"', default_flow_style: true })
    .replace(/\n+$/, '')
    .replace(/\.+$/, '')
    .replace(/\n+$/, '')
}

/** A value inside another. Directly in a printed dict, objects show their text; anywhere deeper, their repr. */
function nested(value: Value, asText: boolean, depth: number): string {
  if (depth > DEEPEST) throw new PyError('RecursionError', 'maximum recursion depth exceeded')
  if (value instanceof Map) return dictText(value, asText, depth)
  if (Array.isArray(value)) return listText(value, depth)
  return asText && value instanceof PyObject && textOf(value) === undefined ? str(value) : repr(value)
}

function listText(list: Value[], depth: number): string {
  // Salt makes a new sequence of the same class from a list of the items, which a named tuple's class does not take
  if (list instanceof NamedTuple) {
    throw typeError(`${list.typeName}.__new__() missing 1 required positional argument: ${quote(list.fields[1]!)}`)
  }
  const parts = list.map((item) => nested(item, false, depth + 1))
  if (!(list instanceof Tuple)) return `[${parts.join(', ')}]`
  return parts.length === 1 ? `(${parts[0]},)` : `(${parts.join(', ')})`
}
