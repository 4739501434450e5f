// Python's `==` and its orderings.

import { typeError } from './errors.ts'
import { Float, isNumeric, PyObject, PyStr, Tuple, typeName, type Value } from './value.ts'

export function equals(a: Value, b: Value): boolean {
  if (a === b) return true
  if (typeof a === 'string' && typeof b === 'string') return false
  if (a === null || b === null) {
    const other = a ?? b
    return other instanceof PyObject ? other.equals(null) : false
  }
  if (isNumeric(a)) return isNumeric(b) ? sameNumber(rawNumber(a), rawNumber(b)) : b instanceof PyObject && b.equals(a)
  if (a instanceof PyObject) {
    return a.equals(b) || (b instanceof PyObject && b.equals(a))
  }
  if (b instanceof PyObject) return b.equals(a)
  if (Array.isArray(a)) return Array.isArray(b) && a instanceof Tuple === b instanceof Tuple && sameItems(a, b)
  if (a instanceof Map) return b instanceof Map && sameDict(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  return false
}

/** A number or a bigint that `==`, `<` of JavaScript compare exactly. */
function rawNumber(value: number | bigint | Float | boolean): number | bigint {
  return typeof value === 'boolean' ? Number(value) : value instanceof Float ? value.value : value
}

function sameNumber(a: number | bigint, b: number | bigint): boolean {
  // biome-ignore lint/suspicious/noDoubleEquals: a number and a bigint are compared exactly, and only by ==
  return a == b
}

function sameItems(a: Value[], b: Value[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    const y = b[i]!
    if (x !== y && !equals(x, y)) return false
  }
  return true
}

function sameDict(a: Map<Value, Value>, b: Map<Value, Value>): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    const stored = b.has(key) ? key : equalKey(b, key)
    const other = stored === undefined ? undefined : b.get(stored)
    if (other === undefined || !(other === value || equals(value, other))) return false
  }
  return true
}

/** Return the key of `map` that equals a key but is not identical to it: 1 for True, a tuple for an equal tuple. */
export function equalKey(map: ReadonlyMap<Value, Value>, key: Value): Value | undefined {
  if (typeof key === 'string' || key === null) return undefined
  if (key === 0 || key === 1) {
    if (map.has(key === 1)) return key === 1
  } else if (typeof key === 'boolean' && map.has(Number(key))) return Number(key)
  if (typeof key !== 'object' && plainKeys.get(map) === map.size) return undefined
  // a plain value of the same kind would have been found by identity
  const own = typeof key === 'object' ? 'string' : typeof key
  let plain = true
  for (const candidate of map.keys()) {
    const kind = typeof candidate
    if (kind === 'string') continue
    if (kind === 'object' || kind === 'bigint') plain = false
    if (kind !== own && equals(candidate, key)) return candidate
  }
  if (plain) plainKeys.set(map, map.size)
  return undefined
}

/**
 * Dicts with their size when all keys were text, bools and small ints: an int that is not found in such a dict has no
 * equal key, so that a dict of n ints is not searched n times.
 */
const plainKeys = new WeakMap<ReadonlyMap<Value, Value>, number>()

/** Note that a plain key was added to a dict with only plain keys. */
export function notePlainKey(map: ReadonlyMap<Value, Value>): void {
  if (plainKeys.get(map) === map.size - 1) plainKeys.set(map, map.size)
}

/** Orders text by code point, as Python does; UTF-16 order differs past the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    let x = a.charCodeAt(i)
    let y = b.charCodeAt(i)
    if (x !== y) {
      // surrogates encode code points above every other unit
      if (x >= 0xd800 && y >= 0xd800) {
        x += x >= 0xe000 ? -0x2000 : 0x2000
        y += y >= 0xe000 ? -0x2000 : 0x2000
      }
      return x - y
    }
  }
  return a.length - b.length
}

export type Ordering = '<' | '<=' | '>' | '>='

/**
 * -1, 0, 1 in Python's order, NaN when neither holds; undefined when the two cannot be ordered. `op` is only for the
 * error about items of lists that cannot.
 */
export function order(a: Value, b: Value, op: Ordering = '<'): number | undefined {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (isNumeric(a) && isNumeric(b)) {
    const x = rawNumber(a)
    const y = rawNumber(b)
    return x < y ? -1 : x > y ? 1 : sameNumber(x, y) ? 0 : Number.NaN
  }
  if (a instanceof PyStr || b instanceof PyStr) {
    const x = a instanceof PyStr ? a.value : a
    const y = b instanceof PyStr ? b.value : b
    if (typeof x === 'string' && typeof y === 'string') return compareText(x, y)
  }
  if (a instanceof PyObject) {
    const result = a.compare(b)
    if (result !== undefined) return result
  }
  if (b instanceof PyObject) {
    const reversed = b.compare(a)
    return reversed === undefined ? undefined : -reversed
  }
  if (Array.isArray(a) && Array.isArray(b) && a instanceof Tuple === b instanceof Tuple) return orderItems(a, b, op)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return undefined
}

function orderItems(a: Value[], b: Value[], op: Ordering): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    if (!equals(a[i]!, b[i]!)) {
      const result = order(a[i]!, b[i]!, op)
      if (result === undefined) throw unorderable(op, a[i]!, b[i]!)
      return result
    }
  }
  return a.length - b.length
}

function unorderable(op: Ordering, a: Value, b: Value): Error {
  return typeError(`'${op}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`)
}

/** `a op b`; throws Python's TypeError when the two cannot be ordered. */
export function compare(op: Ordering, a: Value, b: Value): boolean {
  const result = order(a, b, op)
  if (result === undefined) throw unorderable(op, a, b)
  switch (op) {
    case '<':
      return result < 0
    case '<=':
      return result <= 0
    case '>':
      return result > 0
    case '>=':
      return result >= 0
  }
}
