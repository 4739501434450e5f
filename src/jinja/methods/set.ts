// The methods of set and frozenset.
import { iterate, keyError, PySet, type Value } from '../../data/mod.ts'
import { type MethodSpec, method, methodTable } from './builtin.ts'

const asSet = (value: Value): PySet => (value instanceof PySet ? value : PySet.from(value))

const intersection = (set: PySet, others: Value[]): PySet =>
  others.length === 0 ? set.copy() : others.reduce<PySet>((so, other) => so.intersection(other), set)

function difference(set: PySet, [first, ...others]: Value[]): PySet {
  if (first === undefined) return set.copy()
  const result = set.difference(first)
  for (const other of others) result.removeAll(other)
  return result
}

function union(set: PySet, others: Value[]): PySet {
  const result = set.copy()
  for (const other of others) result.update(other)
  return result
}

function become(set: PySet, result: PySet): null {
  set.clear()
  set.update(result)
  return null
}

const READING: Record<string, MethodSpec> = {
  copy: method('', (_rt, set: PySet) => set.copy()),
  difference: method('*others', (_rt, set, others) => difference(set, others)),
  intersection: method('*others', (_rt, set, others) => intersection(set, others)),
  isdisjoint: method('other', (_rt, set: PySet, other: Value) => {
    for (const item of iterate(other)) if (set.contains(item)) return false
    return true
  }),
  issubset: method('other', (_rt, set: PySet, other: Value) => set.isSubset(asSet(other))),
  issuperset: method('other', (_rt, set: PySet, other: Value) => asSet(other).isSubset(set)),
  symmetric_difference: method('other', (_rt, set: PySet, other: Value) => set.symmetricDifference(other)),
  union: method('*others', (_rt, set, others) => union(set, others)),
}

export const FROZENSET_METHODS = methodTable('frozenset', READING)

export const SET_METHODS = methodTable('set', {
  ...READING,
  add: method('object', (_rt, set: PySet, item: Value) => {
    set.add(item)
    return null
  }),
  clear: method('', (_rt, set: PySet) => {
    set.clear()
    return null
  }),
  difference_update: method('*others', (_rt, set: PySet, others: Value[]) => {
    for (const other of others) set.removeAll(other)
    return null
  }),
  discard: method('object', (_rt, set: PySet, item: Value) => {
    set.delete(item)
    return null
  }),
  intersection_update: method('*others', (_rt, set: PySet, others: Value[]) => become(set, intersection(set, others))),
  pop: method('', (_rt, set: PySet) => {
    const member = set.pop()
    if (member === undefined) throw keyError('pop from an empty set')
    return member
  }),
  remove: method('object', (_rt, set: PySet, item: Value) => {
    if (!set.delete(item)) throw keyError(item)
    return null
  }),
  symmetric_difference_update: method('other', (_rt, set: PySet, other: Value) => {
    set.toggle(asSet(other))
    return null
  }),
  update: method('*others', (_rt, set: PySet, others: Value[]) => {
    for (const other of others) set.update(other)
    return null
  }),
})
