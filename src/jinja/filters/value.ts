// Filters on values of any type.
import {
  assertHashable,
  dictEntries,
  isDict,
  PyObject,
  pformat,
  qualifiedTypeName,
  quote,
  textOf,
  truthy,
  tuple,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { PyGenerator } from '../runtime/generator.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { Undefined } from '../runtime/undefined.ts'

const fallback = native(
  'do_default',
  ['value', 'default_value?', 'boolean?'],
  (_rt, value: Value, other: Value = '', boolean: Value = false) =>
    value instanceof Undefined || (truthy(boolean) && !truthy(value)) ? other : value,
)

/** An attribute and never an item: `value.name` without its second way. */
function attr(rt: Runtime, value: Value, name: Value): Value {
  const text = textOf(name)
  assertHashable(name)
  if (text === undefined) throw typeError(`attribute name must be string, not '${typeName(name)}'`)
  const found = rt.getAttr(value, text)
  if (found instanceof Undefined || !isItem(rt, value, text)) return found
  return rt.undefined(`${quote(`${qualifiedTypeName(value)} object`)} has no attribute ${quote(text)}`)
}

/** Whether `value.name` is the same as `value[name]`; every dict has the attributes of an empty one. */
function isItem(rt: Runtime, value: Value, name: string): boolean {
  if (isDict(value)) return value.has(name) && rt.getAttr(new Map(), name) instanceof Undefined
  return value instanceof PyObject && value.getItem !== undefined && value.getAttr(name) === undefined
}

function* items(value: Value): Generator<Value> {
  if (value instanceof Undefined) return
  if (!isDict(value)) throw typeError('Can only get item pairs from a mapping.')
  for (const pair of dictEntries(value)) yield tuple(pair)
}

export const valueFilters: NativeTable = {
  default: fallback,
  d: fallback,
  attr: native('do_attr', ['@environment', 'obj', 'name'], attr),
  items: native('do_items', ['value'], (_rt, value: Value) => new PyGenerator('do_items', items(value))),
  pprint: native('do_pprint', ['value'], (_rt, value: Value) => pformat(value)),
}
