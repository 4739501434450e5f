// Set theory on lists. Hashable operands (tuples, text, generators) become Python sets; lists stay lists in order.
import { add, type BinaryOp, contains, iterate, PySet, type Value } from '../../../data/mod.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import { isHashableType } from '../python-type.ts'

function unique(values: Value): Value {
  return isHashableType(values) ? PySet.from(values) : withoutRepeats(iterate(values))
}

function withoutRepeats(values: Iterable<Value>): Value[] {
  const kept: Value[] = []
  for (const value of values) if (!contains(kept, value)) kept.push(value)
  return kept
}

/** The result as a Python set where both operands can make one, else undefined. */
function asSets(op: BinaryOp, a: Value, b: Value): Value | undefined {
  if (!isHashableType(a) || !isHashableType(b)) return undefined
  const left = PySet.from(a)
  return left.binary(op, PySet.from(b), false)
}

const union = (a: Value, b: Value): Value => asSets('|', a, b) ?? unique(add(a, b))

/** The items of `a` that are, or are not, in `b`. */
function pick(a: Value, b: Value, wanted: boolean): Value {
  const all = asSets(wanted ? '&' : '-', a, b)
  return all ?? withoutRepeats([...iterate(a)].filter((item) => contains(b, item) === wanted))
}

function symmetricDifference(a: Value, b: Value): Value {
  const sets = asSets('^', a, b)
  if (sets !== undefined) return sets
  const all = [...iterate(union(a, b))]
  const shared = all.length === 0 ? [] : pick(a, b, true)
  return withoutRepeats(all.filter((item) => !contains(shared, item)))
}

export const setFilters: NativeTable = {
  unique: native('unique', ['values'], (_rt, values) => unique(values)),
  union: native('union', ['lst1', 'lst2'], (_rt, a, b) => union(a, b)),
  intersect: native('intersect', ['lst1', 'lst2'], (_rt, a, b) => pick(a, b, true)),
  difference: native('difference', ['lst1', 'lst2'], (_rt, a, b) => pick(a, b, false)),
  symmetric_difference: native('symmetric_difference', ['lst1', 'lst2'], (_rt, a, b) => symmetricDifference(a, b)),
}
