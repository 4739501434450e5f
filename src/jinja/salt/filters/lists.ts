// Salt's filters on lists and on general values. `min`, `max` and `unique` replace Jinja's own and take no options.
import {
  compare,
  contains,
  equals,
  isIterable,
  isList,
  iterate,
  len,
  type Ordering,
  PyError,
  PySet,
  PyStr,
  sorted,
  sub,
  Tuple,
  textOf,
  truthy,
  typeError,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { integerArgument, noAttribute } from '../../filters/argument.ts'
import { Markup } from '../../runtime/markup.ts'
import { type NativeFunction, type NativeTable, native } from '../../runtime/native.ts'
import { Undefined } from '../../runtime/undefined.ts'
import { isHashableType } from '../python-type.ts'
import { toInt } from './numbers.ts'

const isText = (value: Value): boolean => typeof value === 'string' || value instanceof PyStr

function toBool(value: Value): boolean {
  if (value === null) return false
  if (typeof value === 'boolean') return value
  const text = textOf(value)
  if (text !== undefined) return ['yes', '1', 'true'].includes(text.toLowerCase())
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return value > 0
  return isHashableType(value) ? false : len(value) > 0
}

function ensureSequence(data: Value): Value {
  return Array.isArray(data) || data instanceof Map || data instanceof PySet ? data : [data]
}

/** Return the extreme item; of equal ones, the first. */
function extreme(name: 'min' | 'max', values: Value): Value {
  const op: Ordering = name === 'min' ? '<' : '>'
  let best: Value | undefined
  for (const item of iterate(values)) if (best === undefined || compare(op, item, best)) best = item
  if (best === undefined) throw valueError(`${name}() arg is an empty sequence`)
  return best
}

/** `isinstance(thing, ignore)`; no template can hold a type, so anything given is refused as Python refuses it. */
function isIter(thing: Value, ignore?: Value): boolean {
  if (ignore === undefined) {
    if (isText(thing)) return false
  } else if (truthy(ignore)) {
    throw typeError('isinstance() arg 2 must be a type, a tuple of types, or a union')
  }
  if (thing instanceof Undefined) iterate(thing)
  return isIterable(thing)
}

const NULLS: Value[] = [null, 'None', 'null']
/** Python has only one empty tuple. */
const EMPTY_TUPLE = new Tuple()

function flatten(data: Value, levels: Value, preserveNulls: boolean, seen: Set<Value>): Value[] {
  const identity = data instanceof Tuple && data.length === 0 ? EMPTY_TUPLE : data
  if (seen.has(identity)) throw new PyError('RecursionError', 'Reference cycle detected. Check input list.')
  seen.add(identity)
  const flat: Value[] = []
  for (const element of iterate(data)) {
    if (!preserveNulls && NULLS.some((nothing) => equals(nothing, element))) continue
    if (!isIter(element)) flat.push(element)
    else if (levels === null) for (const item of flatten(element, null, preserveNulls, seen)) flat.push(item)
    else if (compare('>=', levels, 1)) {
      const below = sub(toInt(levels), 1)
      for (const item of flatten(element, below, preserveNulls, seen)) flat.push(item)
    } else flat.push(element)
  }
  return flat
}

/** Whether exactly this many items are true; iteration stops after one too many. */
function exactlyTrue(iterable: Value, amount: Value): boolean {
  const items = iterate(iterable)
  const wanted = Math.max(0, integerArgument(amount))
  let count = 0
  for (const item of items) if (truthy(item) && ++count > wanted) return false
  return count === wanted
}

function lowered(item: Value): Value {
  if (typeof item === 'string') return item.toLowerCase()
  if (item instanceof Markup) return new Markup(item.value.toLowerCase())
  if (item instanceof Uint8Array) return item.map((byte) => (byte >= 0x41 && byte <= 0x5a ? byte + 32 : byte))
  return noAttribute(item, 'lower')
}

function compareLists(old: Value, fresh: Value): Value {
  const changes = new Map<Value, Value[]>()
  const note = (kind: string, item: Value): void => {
    const items = changes.get(kind)
    if (items) items.push(item)
    else changes.set(kind, [item])
  }
  for (const item of iterate(fresh)) if (!contains(old, item)) note('new', item)
  for (const item of iterate(old)) if (!contains(fresh, item)) note('old', item)
  return changes
}

function substringInList(wanted: Value, texts: Value): boolean {
  for (const text of iterate(texts)) if (contains(text, wanted)) return true
  return false
}

const sortedIgnoringCase: NativeFunction = native('sorted_ignorecase', ['to_sort'], (_rt, values) =>
  sorted(values, lowered),
)

export const saltListFilters: NativeTable = {
  skip: native('skip_filter', ['data'], () => ''),
  sequence: native('ensure_sequence_filter', ['data'], (_rt, data) => ensureSequence(data)),
  to_bool: native('to_bool', ['val'], (_rt, value) => toBool(value)),
  min: native('lst_min', ['obj'], (_rt, values) => extreme('min', values)),
  max: native('lst_max', ['obj'], (_rt, values) => extreme('max', values)),
  flatten: native(
    'flatten',
    ['data', 'levels?', 'preserve_nulls?', '_ids?'],
    (_rt, data: Value, levels: Value = null, preserveNulls: Value = false) =>
      flatten(data, levels, truthy(preserveNulls), new Set()),
  ),
  is_list: native('is_list', ['value'], (_rt, value) => isList(value)),
  is_iter: native('is_iter', ['thing', 'ignore?'], (_rt, thing, ignore) => isIter(thing, ignore)),
  exactly_n_true: native('exactly_n', ['iterable', 'amount?'], (_rt, iterable, amount = 1) =>
    exactlyTrue(iterable, amount),
  ),
  exactly_one_true: native('exactly_one', ['iterable'], (_rt, iterable) => exactlyTrue(iterable, 1)),
  sorted_ignorecase: sortedIgnoringCase,
  // its name in Salt 2017.7
  is_sorted: sortedIgnoringCase,
  substring_in_list: native('substr_in_list', ['string_to_search_for', 'list_to_search'], (_rt, wanted, texts) =>
    substringInList(wanted, texts),
  ),
  compare_lists: native('compare_lists', ['old?', 'new?'], (_rt, old = null, fresh = null) => compareLists(old, fresh)),
}
