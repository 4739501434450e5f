// The methods of dict, OrderedDict and the views of their keys and items.
import {
  contains,
  type Dict,
  DictItems,
  DictKeys,
  DictValues,
  dictDelete,
  dictGet,
  dictHas,
  dictSet,
  dictUpdate,
  iterate,
  keyError,
  OrderedDict,
  Tuple,
  truthy,
  type Value,
} from '../../data/mod.ts'
import type { Kwargs } from '../runtime/runtime.ts'
import { type MethodSpec, method, methodTable } from './builtin.ts'

/** A dict of the same type with the same entries. */
function copy(dict: Dict): Dict {
  return dict instanceof OrderedDict ? new OrderedDict(dict) : new Map(dict)
}

function fromKeys(dict: Dict, keys: Value, value: Value = null): Dict {
  const made: Dict = dict instanceof OrderedDict ? new OrderedDict() : new Map()
  for (const key of iterate(keys)) dictSet(made, key, value)
  return made
}

function pop(dict: Dict, key: Value, fallback?: Value): Value {
  // CPython finds an empty dict empty before it asks for the key's hash
  const value = dict.size === 0 ? undefined : dictDelete(dict, key)
  if (value !== undefined) return value
  if (fallback === undefined) throw keyError(key)
  return fallback
}

function popItem(dict: Dict, last = true): Tuple {
  if (dict.size === 0) {
    const text = dict instanceof OrderedDict ? 'dictionary is empty' : 'popitem(): dictionary is empty'
    throw keyError(text)
  }
  const keys = last ? [...dict.keys()].at(-1)! : dict.keys().next().value!
  const value = dict.get(keys)!
  dict.delete(keys)
  return Tuple.of(keys, value)
}

function setDefault(dict: Dict, key: Value, fallback: Value = null): Value {
  const value = dictGet(dict, key)
  if (value !== undefined) return value
  dictSet(dict, key, fallback)
  return fallback
}

function update(dict: Dict, other: Value | undefined, kwargs: Kwargs): null {
  if (other !== undefined) dictUpdate(dict, other)
  for (const [key, value] of kwargs) dict.set(key, value)
  return null
}

function moveToEnd(dict: Dict, key: Value, last: Value = true): null {
  if (!dictHas(dict, key)) throw keyError(key)
  const stored = [...dict.keys()].find((candidate) => contains([key], candidate))!
  const value = dict.get(stored)!
  dict.delete(stored)
  const others = truthy(last) ? [] : [...dict]
  if (others.length > 0) dict.clear()
  dict.set(stored, value)
  for (const [other, kept] of others) dict.set(other, kept)
  return null
}

const COMMON: Record<string, MethodSpec> = {
  clear: method('', (_rt, dict: Dict) => {
    dict.clear()
    return null
  }),
  copy: method('', (_rt, dict) => copy(dict)),
  fromkeys: method('iterable value?', (_rt, dict, keys, value) => fromKeys(dict, keys, value)),
  get: method('key default?', (_rt, dict: Dict, key: Value, fallback: Value = null) => {
    const value = dictGet(dict, key)
    return value === undefined ? fallback : value
  }),
  items: method('', (_rt, dict: Dict) => new DictItems(dict)),
  keys: method('', (_rt, dict: Dict) => new DictKeys(dict)),
  pop: method('key default?', (_rt, dict, key, fallback) => pop(dict, key, fallback)),
  popitem: method('', (_rt, dict) => popItem(dict)),
  setdefault: method('key default?', (_rt, dict, key, fallback) => setDefault(dict, key, fallback)),
  update: method('other? **kwargs', (_rt, dict, other, kwargs) => update(dict, other, kwargs)),
  values: method('', (_rt, dict: Dict) => new DictValues(dict)),
}

export const DICT_METHODS = methodTable('dict', COMMON)

export const ORDERED_DICT_METHODS = methodTable('OrderedDict', {
  ...COMMON,
  move_to_end: method('key last?', (_rt, dict, key, last) => moveToEnd(dict, key, last), 'keywords'),
  pop: method('key default?', (_rt, dict, key, fallback) => pop(dict, key, fallback), 'keywords'),
  popitem: method('last?', (_rt, dict: Dict, last: Value = true) => popItem(dict, truthy(last)), 'keywords'),
  setdefault: method('key default?', (_rt, dict, key, fallback) => setDefault(dict, key, fallback), 'keywords'),
})

export const VIEW_METHODS = methodTable('dict_keys', {
  isdisjoint: method('other', (_rt, view: Value, other: Value) => {
    for (const item of iterate(other)) if (contains(view, item)) return false
    return true
  }),
})
