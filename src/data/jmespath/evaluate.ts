// The operations of a JMESPath expression: each function here builds one. Only lists are arrays and only dicts are
// objects; other values give None, never an error.
import { lookup } from '../../base/mod.ts'
import { compare, equals, type Ordering } from '../compare.ts'
import { dictGet, dictSet } from '../dict.ts'
import { truthy } from '../protocol.ts'
import { getSlice } from '../sequence.ts'
import { type Dict, Float, isList, PyObject, textOf, type Value } from '../value.ts'

export type Evaluate = (value: Value) => Value

/** An expression that is passed to a function instead of being evaluated (`&name`). */
export class ExpressionReference extends PyObject {
  readonly typeName = '_Expression'
  readonly run: Evaluate

  constructor(run: Evaluate) {
    super()
    this.run = run
  }
}

export const identity: Evaluate = (value) => value

export const field =
  (name: string): Evaluate =>
  (value) => {
    if (value instanceof Map) return dictGet(value, name) ?? null
    // an undefined value says so itself
    if (value instanceof PyObject) value.truthy()
    return null
  }

export const chain =
  (left: Evaluate, right: Evaluate): Evaluate =>
  (value) =>
    right(left(value))

export const reference =
  (run: Evaluate): Evaluate =>
  () =>
    new ExpressionReference(run)

/** JMESPath's own idea of falsehood: 0 is true. */
function isFalse(value: Value): boolean {
  if (value === null || value === false || value === '') return true
  if (isList(value)) return value.length === 0
  if (value instanceof Map) return value.size === 0
  return textOf(value) === ''
}

export const or =
  (left: Evaluate, right: Evaluate): Evaluate =>
  (value) => {
    const matched = left(value)
    return isFalse(matched) ? right(value) : matched
  }

export const and =
  (left: Evaluate, right: Evaluate): Evaluate =>
  (value) => {
    const matched = left(value)
    return isFalse(matched) ? matched : right(value)
  }

const isNumber = (value: Value): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Float

export const not =
  (run: Evaluate): Evaluate =>
  (value) => {
    const original = run(value)
    return isNumber(original) ? false : !truthy(original)
  }

const isZeroOrOne = (value: Value): boolean => isNumber(value) && (equals(value, 0) || equals(value, 1))

/** Python's equality, except that no number equals a boolean. */
function same(a: Value, b: Value): boolean {
  if (isZeroOrOne(a) ? typeof b === 'boolean' : isZeroOrOne(b) && typeof a === 'boolean') return false
  return equals(a, b)
}

const isOrderable = (value: Value): boolean => isNumber(value) || textOf(value) !== undefined

const ORDERINGS: Readonly<Record<string, Ordering>> = lookup({ lt: '<', lte: '<=', gt: '>', gte: '>=' })

export type Comparator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

export function comparator(type: Comparator, left: Evaluate, right: Evaluate): Evaluate {
  if (type === 'eq') return (value) => same(left(value), right(value))
  if (type === 'ne') return (value) => !same(left(value), right(value))
  const op = ORDERINGS[type]!
  return (value) => {
    const [a, b] = [left(value), right(value)]
    return isOrderable(a) && isOrderable(b) ? compare(op, a, b) : null
  }
}

/** Applies `each` and drops the Nones. */
function collect(elements: Iterable<Value>, each: Evaluate): Value[] {
  const collected: Value[] = []
  for (const element of elements) {
    const current = each(element)
    if (current !== null) collected.push(current)
  }
  return collected
}

export const project =
  (left: Evaluate, each: Evaluate): Evaluate =>
  (value) => {
    const base = left(value)
    return isList(base) ? collect(base, each) : null
  }

export const projectWhere =
  (left: Evaluate, each: Evaluate, condition: Evaluate): Evaluate =>
  (value) => {
    const base = left(value)
    if (!isList(base)) return null
    return collect(base, (element) => (isFalse(condition(element)) ? null : each(element)))
  }

export const projectValues =
  (left: Evaluate, each: Evaluate): Evaluate =>
  (value) => {
    const base = left(value)
    if (base instanceof PyObject) base.truthy()
    return base instanceof Map ? collect(base.values(), each) : null
  }

export const flatten =
  (left: Evaluate): Evaluate =>
  (value) => {
    const base = left(value)
    return isList(base) ? base.flatMap((element) => (isList(element) ? element : [element])) : null
  }

export const index =
  (place: number | bigint): Evaluate =>
  (value) =>
    (isList(value) ? value.at(Number(place)) : null) ?? null

export const slice =
  (start: Value, stop: Value, step: Value): Evaluate =>
  (value) =>
    isList(value) ? getSlice(value, start, stop, step) : null

export const selectList =
  (items: readonly Evaluate[]): Evaluate =>
  (value) =>
    value === null ? null : items.map((item) => item(value))

export const selectDict =
  (entries: ReadonlyArray<readonly [string, Evaluate]>): Evaluate =>
  (value) => {
    if (value === null) return null
    const collected: Dict = new Map()
    for (const [name, item] of entries) dictSet(collected, name, item(value))
    return collected
  }
