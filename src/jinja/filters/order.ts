// Filters that compare items: sorting, grouping, the extremes, and each value only once. Text is compared without
// regard to case unless the template asks otherwise.
import {
  compare,
  type Dict,
  dictHas,
  dictSet,
  equals,
  iterate,
  namedTuple,
  numberOf,
  type Ordering,
  sorted,
  textOf,
  truthy,
  tuple,
  type Value,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { collected, PyGenerator } from '../runtime/generator.ts'
import { type NativeFunction, type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { integerArgument, pairsOf } from './argument.ts'
import { attributeGetter, attributesGetter, type Getter, ignoreCase } from './attribute.ts'

/** Return the function for the sort key of items. */
function keyGetter(rt: Runtime, caseSensitive: Value, attribute: Value, fallback: Value = null): Getter {
  const get = attributeGetter(rt, attribute, fallback)
  return truthy(caseSensitive) ? get : (item) => ignoreCase(get(item))
}

/** Items in the order of their keys, which are in the same places. */
function sortBy(items: readonly Value[], keys: readonly Value[], reverse: boolean): Value[] {
  const places = sorted(
    items.map((_, i) => i),
    (place) => keys[place as number]!,
    reverse,
  )
  return places.map((place) => items[place as number]!)
}

function sort(rt: Runtime, value: Value, reverse: Value, caseSensitive: Value, attribute: Value): Value[] {
  const get = attributesGetter(rt, attribute)
  const fold = !truthy(caseSensitive)
  const items = [...iterate(value)]
  const backwards = integerArgument(reverse) !== 0
  const keys = items.map((item) => (fold ? get(item).map(ignoreCase) : get(item)))
  // lists with one text or number each compare like these
  const plain = keys.every((key) => key.length === 1 && typeof key[0] === typeof keys[0]![0] && isPlain(key[0]!))
  return sortBy(items, plain ? keys.map((key) => key[0]!) : keys, backwards)
}

const isPlain = (key: Value): boolean => typeof key === 'string' || typeof key === 'number'

function dictsort(value: Value, caseSensitive: Value, by: Value, reverse: Value): Value[] {
  const at = ['key', 'value'].findIndex((name) => equals(by, name))
  if (at < 0) throw new JinjaError('FilterArgumentError', 'You can only sort by either "key" or "value"')
  const pairs = Array.from(pairsOf(value), (pair) => tuple(pair))
  const backwards = integerArgument(reverse) !== 0
  const keys = pairs.map((pair) => (truthy(caseSensitive) ? pair[at]! : ignoreCase(pair[at]!)))
  return sortBy(pairs, keys, backwards)
}

function unique(rt: Runtime, value: Value, caseSensitive: Value, attribute: Value, kept: Value[]): void {
  const keyOf = keyGetter(rt, caseSensitive, attribute)
  const plainSeen = new Set<Value>()
  const seen: Dict = new Map()
  for (const item of iterate(value)) {
    const key = keyOf(item)
    const plain = plainKey(key)
    if (plain === undefined ? dictHas(seen, key) : plainSeen.has(plain)) continue
    if (plain === undefined) dictSet(seen, key, null)
    else plainSeen.add(plain)
    kept.push(item)
  }
}

/** One text or number for all values that are equal to it in Python; undefined for values of other kinds. */
function plainKey(key: Value): string | number | undefined {
  const n = numberOf(key)
  if (n === undefined) return textOf(key)
  const exact = typeof key !== 'bigint' || (Number.isFinite(n) && BigInt(n) === key)
  return exact ? n : undefined
}

function extreme(rt: Runtime, op: Ordering, value: Value, caseSensitive: Value, attribute: Value): Value {
  let best: { item: Value; key: Value } | undefined
  let keyOf: Getter | undefined
  for (const item of iterate(value)) {
    keyOf ??= keyGetter(rt, caseSensitive, attribute)
    const key = keyOf(item)
    if (best === undefined || compare(op, key, best.key)) best = { item, key }
  }
  return best === undefined ? rt.undefined('No aggregated item, sequence was empty.') : best.item
}

const extremeFilter = (name: string, op: Ordering): NativeFunction =>
  native(
    name,
    ['@environment', 'value', 'case_sensitive?', 'attribute?'],
    (rt, value, caseSensitive = false, attribute = null) => extreme(rt, op, value, caseSensitive, attribute),
  )

interface Group {
  key: Value
  items: Value[]
}

function groupby(rt: Runtime, value: Value, attribute: Value, fallback: Value, caseSensitive: Value): Value[] {
  const keyOf = keyGetter(rt, caseSensitive, attribute, fallback)
  const groups: Group[] = []
  for (const item of sorted(value, keyOf)) {
    const key = keyOf(item)
    const group = groups.at(-1)
    if (group !== undefined && equals(group.key, key)) group.items.push(item)
    else groups.push({ key, items: [item] })
  }
  // the shown key is the first item's own, with its case
  const shown = attributeGetter(rt, attribute, fallback)
  return groups.map(({ key, items }) =>
    namedTuple('_GroupTuple', ['grouper', 'list'], [truthy(caseSensitive) ? key : shown(items[0]!), items]),
  )
}

export const orderFilters: NativeTable = {
  sort: native(
    'do_sort',
    ['@environment', 'value', 'reverse?', 'case_sensitive?', 'attribute?'],
    (rt, value, reverse = false, caseSensitive = false, attribute = null) =>
      sort(rt, value, reverse, caseSensitive, attribute),
  ),
  dictsort: native(
    'do_dictsort',
    ['value', 'case_sensitive?', 'by?', 'reverse?'],
    (_rt, value, caseSensitive = false, by = 'key', reverse = false) => dictsort(value, caseSensitive, by, reverse),
  ),
  unique: native(
    'sync_do_unique',
    ['@environment', 'value', 'case_sensitive?', 'attribute?'],
    (rt, value, caseSensitive = false, attribute = null) =>
      new PyGenerator(
        'sync_do_unique',
        collected((kept) => unique(rt, value, caseSensitive, attribute, kept)),
      ),
  ),
  min: extremeFilter('do_min', '<'),
  max: extremeFilter('do_max', '>'),
  groupby: native(
    'sync_do_groupby',
    ['@environment', 'value', 'attribute', 'default?', 'case_sensitive?'],
    (rt, value, attribute, fallback = null, caseSensitive = false) =>
      groupby(rt, value, attribute, fallback, caseSensitive),
  ),
}
