// Python's `reversed()`: which values support it, and the name of the iterator.
import { iterate, PyStr, str, Tuple, typeName, type Value } from '../../data/mod.ts'
import { PyIterator } from '../runtime/generator.ts'
import { Markup } from '../runtime/markup.ts'
import { Undefined } from '../runtime/undefined.ts'

const ITERATORS: ReadonlyMap<string, string> = new Map([
  ['list', 'list_reverseiterator'],
  ['dict', 'dict_reversekeyiterator'],
  ['dict_keys', 'dict_reversekeyiterator'],
  ['dict_values', 'dict_reversevalueiterator'],
  ['dict_items', 'dict_reverseitemiterator'],
  ['collections.OrderedDict', 'odict_iterator'],
  ['odict_keys', 'odict_iterator'],
  ['odict_values', 'odict_iterator'],
  ['odict_items', 'odict_iterator'],
  ['range', 'range_iterator'],
])

function isReversible(value: Value): boolean {
  if (typeof value === 'string' || value instanceof PyStr || value instanceof Undefined) return true
  return value instanceof Tuple || value instanceof Uint8Array || ITERATORS.has(typeName(value))
}

/** The reverse iterator, or undefined where Python says that the value is not reversible. */
export function reversed(value: Value): PyIterator | undefined {
  if (!isReversible(value)) return undefined
  const items = [...iterate(value)].reverse()
  const shown = value instanceof PyStr ? items.map((char) => new Markup(str(char))) : items
  return new PyIterator(ITERATORS.get(typeName(value)) ?? 'reversed', shown)
}
