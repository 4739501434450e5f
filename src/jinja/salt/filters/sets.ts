// Set theory on lists. Hashable operands (tuples, text, generators) become Python sets; lists stay lists in order.
import { add, contains, iterate, PySet, type Value } from '../../../data/mod.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import { isHashableType } from '../python-type.ts'

function unique(values: Value): Value {
  return isHashableType(values) ? new PySet(iterate(values)) : withoutRepeats(iterate(values))
}

function withoutRepeats(values: Iterable<Value>): Value[] {
  const kept: Value[] = []
  for (const value of values) if (!contains(kept, value)) kept.push(value)
  return kept
}

const bothHashable = (a: Value, b: Value): boolean => isHashableType(a) && isHashableType(b)

function union(a: Value, b: Value): Value {
  if (!bothHashable(a, b)) return unique(add(a, b))
  const joined = new PySet(iterate(a))
  for (const item of new PySet(iterate(b)).values()) joined.add(item)
  return joined
}

/** The items of `a` that are, or are not, in `b`. */
function pick(a: Value, b: Value, wanted: boolean): Value {
  if (!bothHashable(a, b)) return withoutRepeats([...iterate(a)].filter((item) => contains(b, item) === wanted))
  const [own, other] = [new PySet(iterate(a)), new PySet(iterate(b))]
  return new PySet([...own.values()].filter((item) => other.contains(item) === wanted))
}

function symmetricDifference(a: Value, b: Value): Value {
  if (!bothHashable(a, b)) {
    const all = [...iterate(union(a, b))]
    const shared = all.length === 0 ? [] : pick(a, b, true)
    return withoutRepeats(all.filter((item) => !contains(shared, item)))
  }
  const [left, right] = [new PySet(iterate(a)), new PySet(iterate(b))]
  return new PySet([
    ...[...left.values()].filter((item) => !right.contains(item)),
    ...[...right.values()].filter((item) => !left.contains(item)),
  ])
}

export const setFilters: NativeTable = {
  unique: native('unique', ['values'], (_rt, values) => unique(values)),
  union: native('union', ['lst1', 'lst2'], (_rt, a, b) => union(a, b)),
  intersect: native('intersect', ['lst1', 'lst2'], (_rt, a, b) => pick(a, b, true)),
  difference: native('difference', ['lst1', 'lst2'], (_rt, a, b) => pick(a, b, false)),
  symmetric_difference: native('symmetric_difference', ['lst1', 'lst2'], (_rt, a, b) => symmetricDifference(a, b)),
}
