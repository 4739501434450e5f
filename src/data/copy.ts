// Python's `copy.copy` and `copy.deepcopy`: a value that is reached twice is copied once, so shared and circular
// structures keep their shape. Values that cannot change are not copied.
import { PySet } from './set.ts'
import { type Dict, Tuple, tuple, type Value } from './value.ts'

/** An empty dict or list of the same class. */
function emptyLike<T extends object>(value: T): T {
  return new (value.constructor as new () => T)()
}

export function shallowCopy(value: Value): Value {
  if (typeof value !== 'object' || value === null || value instanceof Tuple) return value
  if (value instanceof Map) {
    const copy = emptyLike(value)
    value.forEach((item, key) => void copy.set(key, item))
    return copy
  }
  if (Array.isArray(value)) {
    if (value.constructor === Array) return value.slice()
    const copy = emptyLike(value)
    for (const item of value) copy.push(item)
    return copy
  }
  return value instanceof PySet ? new PySet(value.values()) : value
}

export function deepCopy<T extends Value>(value: T): T {
  return isContainer(value) ? (copyInto(new Map(), value) as T) : value
}

type Container = Dict | Value[] | PySet

function isContainer(value: Value): value is Container {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || value instanceof Map || value instanceof PySet
}

function copyInto(done: Map<object, Value>, value: Container): Value {
  const known = done.get(value)
  if (known !== undefined) return known
  const of = (item: Value): Value => (isContainer(item) ? copyInto(done, item) : item)
  if (value instanceof Map) {
    const copy = emptyLike(value)
    done.set(value, copy)
    value.forEach((item, key) => void copy.set(of(key), of(item)))
    return copy
  }
  if (value instanceof PySet) {
    const copy = new PySet()
    done.set(value, copy)
    for (const item of value.values()) copy.add(of(item))
    return copy
  }
  if (value instanceof Tuple) return copyTuple(done, value, of)
  const copy = emptyLike(value)
  done.set(value, copy)
  for (const item of value) copy.push(of(item))
  return copy
}

/** A tuple of nothing but constants is its own copy. */
function copyTuple(done: Map<object, Value>, value: Tuple, of: (item: Value) => Value): Value {
  const items = value.map(of)
  const again = done.get(value) // a tuple that holds itself through a list was finished on the way
  if (again !== undefined) return again
  const copy = items.every((item, i) => item === value[i]) ? value : tuple(items)
  done.set(value, copy)
  return copy
}
