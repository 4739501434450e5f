import { describe, expect, it } from 'vitest'
import { repr } from './repr.ts'
import { PyFrozenSet, PySet } from './set.ts'
import { float, tuple } from './value.ts'

const step = (start: number, count: number, by: number) => Array.from({ length: count }, (_, i) => start + i * by)

describe('PySet', () => {
  it('iterates numbers in the order of the hash table', () => {
    expect(repr(new PySet([10, 1, 25, 8]))).toBe('{8, 1, 10, 25}')
    expect(repr(new PySet([-1, 3, -5]))).toBe('{3, -1, -5}')
    expect(repr(new PySet([float(2), 0.5, true]))).toBe('{0.5, True, 2.0}')
    expect(repr(new PySet([100, 1000, 7, ...step(50, 4, 33)]))).toBe('{100, 7, 1000, 50, 83, 116, 149}')
    expect(repr(new PySet([tuple([1, 2]), tuple([0, 1])]))).toBe('{(0, 1), (1, 2)}')
  })

  it('keeps the order of arrival once text is among its members', () => {
    expect(repr(new PySet([10, 1, 'b', 'a']))).toBe("{10, 1, 'b', 'a'}")
  })

  it('takes equal values for one member', () => {
    const set = new PySet([1, true, float(1)])
    expect(repr(set)).toBe('{1}')
    expect(set.delete(true)).toBe(true)
    expect(repr(set)).toBe('set()')
  })

  it('combines with sets and other iterables', () => {
    const set = new PySet([1, 2, 3])
    expect(repr(set.union([9, 2]))).toBe('{1, 2, 3, 9}')
    expect(repr(set.intersection(new PySet([3, 2, 7])))).toBe('{2, 3}')
    expect(repr(set.difference(new Map([[2, null]])))).toBe('{1, 3}')
    expect(repr(set.symmetricDifference([3, 4]))).toBe('{1, 2, 4}')
    expect(set.pop()).toBe(1)
  })

  it('says when it changes while it is iterated', () => {
    const set = new PySet([1, 2])
    const members = set.iterate()
    members.next()
    set.add(3)
    expect(() => members.next()).toThrow('Set changed size during iteration')
  })
})

describe('PyFrozenSet', () => {
  it('prints its type, stays its type and equals a set', () => {
    const frozen = PyFrozenSet.from([2, 1])
    expect(repr(frozen)).toBe('frozenset({1, 2})')
    expect(repr(frozen.union([3]))).toBe('frozenset({1, 2, 3})')
    expect(repr(PyFrozenSet.from([]))).toBe('frozenset()')
    expect(frozen.equals(new PySet([1, 2]))).toBe(true)
  })
})
