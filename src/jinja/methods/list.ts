// The methods of list, tuple and range.
import {
  equals,
  indexError,
  int,
  iterate,
  type PyRange,
  repr,
  sortItems,
  type Tuple,
  typeError,
  type Value,
  valueError,
} from '../../data/mod.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'
import { countArgument } from './arguments.ts'
import { method, methodTable } from './builtin.ts'

const same = (a: Value, b: Value): boolean => a === b || equals(a, b)

function countOf(items: Value[], wanted: Value): number {
  return items.reduce<number>((sum, item) => sum + (same(item, wanted) ? 1 : 0), 0)
}

/** Return the index of the item in `[start:stop]`, or -1. */
function indexOf(items: Value[], wanted: Value, start: Value = 0, stop: Value = Number.MAX_SAFE_INTEGER): number {
  const from = searchEdge(start, items.length)
  const to = Math.min(searchEdge(stop, items.length), items.length)
  for (let i = from; i < to; i++) if (same(items[i]!, wanted)) return i
  return -1
}

function searchEdge(edge: Value, length: number): number {
  const whole =
    typeof edge === 'number' ? Number.isInteger(edge) : typeof edge === 'bigint' || typeof edge === 'boolean'
  if (!whole) throw typeError('slice indices must be integers or have an __index__ method')
  const at = Number(edge)
  return at < 0 ? Math.max(0, at + length) : at
}

function insert(list: Value[], index: Value, item: Value): null {
  const at = countArgument(index)
  // splice counts a negative start from the end and clamps, as Python does
  list.splice(at, 0, item)
  return null
}

function pop(list: Value[], index: Value = -1): Value {
  const wanted = countArgument(index)
  if (list.length === 0) throw indexError('pop from empty list')
  const at = wanted < 0 ? wanted + list.length : wanted
  if (at < 0 || at >= list.length) throw indexError('pop index out of range')
  return at === list.length - 1 ? list.pop()! : list.splice(at, 1)[0]!
}

function remove(list: Value[], item: Value): null {
  const at = list.findIndex((member) => same(member, item))
  if (at < 0) throw valueError('list.remove(x): x not in list')
  list.splice(at, 1)
  return null
}

function extend(list: Value[], items: Value): null {
  // a list that is extended by itself must not grow while it is read
  const further = items === list ? list.slice() : iterate(items)
  for (const item of further) list.push(item)
  return null
}

function sort(rt: Runtime, list: Value[], args: Value[], kwargs: Kwargs): Value | Promise<Value> {
  const given = args.length + kwargs.size
  if (given > 2) throw typeError(`sort() takes at most 2 arguments (${given} given)`)
  if (args.length > 0) throw typeError('sort() takes no positional arguments')
  for (const name of kwargs.keys()) {
    if (name !== 'key' && name !== 'reverse') throw typeError(`'${name}' is an invalid keyword argument for sort()`)
  }
  const reverse = countArgument(kwargs.get('reverse') ?? false) !== 0
  const key = kwargs.get('key') ?? null
  if (key === null) {
    sortItems(list, undefined, reverse)
    return null
  }
  const keys = list.map((item) => rt.call(key, [item]))
  if (!keys.some((made) => made instanceof Promise)) return sortBy(list, keys as Value[], reverse)
  return Promise.all(keys).then((made) => sortBy(list, made, reverse))
}

function sortBy(list: Value[], keys: Value[], reverse: boolean): null {
  const pairs = list.map((item, i): Value => [keys[i]!, item])
  const sorted = sortItems(pairs, (pair) => (pair as Value[])[0]!, reverse)
  list.splice(0, list.length, ...sorted.map((pair) => (pair as Value[])[1]!))
  return null
}

export const LIST_METHODS = methodTable('list', {
  append: method('object', (_rt, list: Value[], item: Value) => {
    list.push(item)
    return null
  }),
  clear: method('', (_rt, list: Value[]) => {
    list.length = 0
    return null
  }),
  copy: method('', (_rt, list: Value[]) => list.slice()),
  count: method('value', (_rt, list, item) => countOf(list, item)),
  extend: method('iterable', (_rt, list, items) => extend(list, items)),
  index: method('value start? stop?', (_rt, list: Value[], item: Value, start?: Value, stop?: Value) => {
    const at = indexOf(list, item, start, stop)
    if (at < 0) throw valueError(`${repr(item)} is not in list`)
    return at
  }),
  insert: method('index object', (_rt, list, index, item) => insert(list, index, item)),
  pop: method('index?', (_rt, list, index) => pop(list, index)),
  remove: method('value', (_rt, list, item) => remove(list, item)),
  reverse: method('', (_rt, list: Value[]) => {
    list.reverse()
    return null
  }),
  sort: method('*args **kwargs', sort),
})

export const TUPLE_METHODS = methodTable('tuple', {
  count: method('value', (_rt, items, item) => countOf(items, item)),
  index: method('value start? stop?', (_rt, items: Tuple, item: Value, start?: Value, stop?: Value) => {
    const at = indexOf(items, item, start, stop)
    if (at < 0) throw valueError('tuple.index(x): x not in tuple')
    return at
  }),
})

export const RANGE_METHODS = methodTable('range', {
  count: method('value', (_rt, range: PyRange, item: Value) => (range.contains(item) ? 1 : 0)),
  index: method('value', (_rt, range: PyRange, item: Value) => {
    const at = range.indexOf(item)
    if (at !== undefined) return int(at)
    const counted = typeof item !== 'object' && typeof item !== 'string' && Number.isInteger(Number(item))
    throw valueError(counted ? `${repr(item)} is not in range` : 'sequence.index(x): x not in sequence')
  }),
})
