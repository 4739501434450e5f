// Dict keys with Python's equality: 1, 1.0 and True are one key, equal tuples are one key, lists cannot be keys.
// A dict stays a plain Map; these functions find the key that is really stored. Text keys take the short way.
import { equalKey, notePlainKey } from './compare.ts'
import { PyError, typeError } from './errors.ts'
import { type Dict, PyObject, PyStr, Tuple, typeName, type Value } from './value.ts'

const MISSING = Symbol('missing')

/** Throws Python's TypeError when the value cannot be a key. */
export function assertHashable(key: Value): void {
  if (typeof key !== 'object' || key === null) return
  if (key instanceof Tuple) {
    for (const item of key) assertHashable(item)
    return
  }
  if (Array.isArray(key) || key instanceof Map || (key instanceof PyObject && key.key() === undefined)) {
    throw typeError(`unhashable type: '${typeName(key)}'`)
  }
}

function storedKey(map: ReadonlyMap<Value, Value>, key: Value): Value | typeof MISSING {
  if (map.has(key)) return key
  if (typeof key === 'string') return MISSING
  if (key instanceof PyStr) return map.has(key.value) ? key.value : MISSING
  assertHashable(key)
  return equalKey(map, key) ?? MISSING
}

export function dictGet(map: ReadonlyMap<Value, Value>, key: Value): Value | undefined {
  if (typeof key === 'string') return map.get(key)
  const stored = storedKey(map, key)
  return stored === MISSING ? undefined : map.get(stored)
}

export function dictHas(map: ReadonlyMap<Value, Value>, key: Value): boolean {
  return typeof key === 'string' ? map.has(key) : storedKey(map, key) !== MISSING
}

/** Set a key like Python: an existing equal key keeps its spelling and position. */
export function dictSet(map: Dict, key: Value, value: Value): void {
  if (typeof key === 'string') {
    map.set(key, value)
    return
  }
  const stored = storedKey(map, key)
  map.set(stored === MISSING ? (key instanceof PyStr ? key.value : key) : stored, value)
  if (stored === MISSING && (typeof key === 'number' || typeof key === 'boolean')) notePlainKey(map)
}

/** Remove a key and return its value; undefined if it did not exist. */
export function dictDelete(map: Dict, key: Value): Value | undefined {
  const stored = storedKey(map, key)
  if (stored === MISSING) return undefined
  const value = map.get(stored)
  map.delete(stored)
  return value
}

/** Python's iteration over a dict: a change of size while it goes on is an error, not an endless loop. */
class DictIterator<T> implements IterableIterator<T> {
  private readonly map: ReadonlyMap<Value, Value>
  private readonly size: number
  private readonly steps: Iterator<T>

  constructor(map: ReadonlyMap<Value, Value>, steps: Iterator<T>) {
    this.map = map
    this.size = map.size
    this.steps = steps
  }

  next(): IteratorResult<T> {
    if (this.map.size !== this.size) {
      throw new PyError('RuntimeError', 'dictionary changed size during iteration')
    }
    return this.steps.next()
  }

  [Symbol.iterator](): this {
    return this
  }
}

export const dictEntries = (map: ReadonlyMap<Value, Value>): IterableIterator<[Value, Value]> =>
  new DictIterator(map, map.entries())

export const dictKeys = (map: ReadonlyMap<Value, Value>): IterableIterator<Value> => new DictIterator(map, map.keys())

export const dictValues = (map: ReadonlyMap<Value, Value>): IterableIterator<Value> =>
  new DictIterator(map, map.values())
