import { describe, expect, it } from 'vitest'
import { PyRange } from './range.ts'
import { repr } from './repr.ts'
import { getSlice, sorted } from './sequence.ts'
import { getItem } from './subscript.ts'
import { tuple, type Value } from './value.ts'

describe('getSlice', () => {
  it.each<[Value, Value, Value, Value, string]>([
    ['abcdef', 1, -1, null, "'bcde'"],
    ['x😀yé', null, null, -1, "'éy😀x'"],
    ['abc', 2, 0, -1, "'cb'"],
    [[1, 2, 3, 4], -3, 10n ** 30n, 2, '[2, 4]'],
    [tuple([1, 2, 3]), null, true, null, '(1,)'],
    [Uint8Array.of(1, 2, 3), 1, null, null, "b'\\x02\\x03'"],
    [PyRange.of(10), null, null, -3, 'range(9, -1, -3)'],
    [PyRange.of(0, 10, 3), -1, null, null, 'range(9, 12, 3)'],
  ])('%s[%s:%s:%s] is %s', (sequence, start, stop, step, expected) => {
    expect(repr(getSlice(sequence, start, stop, step))).toBe(expected)
  })

  it.each<[Value, Value, string]>([
    ['a', 'x', 'slice indices must be integers or None or have an __index__ method'],
    [new Map(), 1, "unhashable type: 'slice'"],
    [3, 1, "'int' object is not subscriptable"],
  ])('%s[%s:] raises %s', (sequence, start, message) => {
    expect(() => getSlice(sequence, start, null, null)).toThrow(message)
  })

  it('refuses a step of zero', () => {
    expect(() => getSlice([1], null, null, 0)).toThrow('slice step cannot be zero')
  })
})

describe('sorted', () => {
  it('keeps equal items in order both ways', () => {
    const items: Value[] = [tuple([1, 'a']), tuple([0, 'b']), tuple([1, 'c'])]
    const first = (item: Value) => getItem(item, 0)
    expect(repr(sorted(items, first))).toBe("[(0, 'b'), (1, 'a'), (1, 'c')]")
    expect(repr(sorted(items, first, true))).toBe("[(1, 'a'), (1, 'c'), (0, 'b')]")
  })

  it('names the two types that cannot be ordered, the later one first', () => {
    expect(() => sorted([1, 'a'])).toThrow("'<' not supported between instances of 'str' and 'int'")
    expect(() => sorted(3)).toThrow("'int' object is not iterable")
  })
})

describe('PyRange', () => {
  it('counts, holds and compares by its members', () => {
    expect([...{ [Symbol.iterator]: () => PyRange.of(5, 0, -2).iterate() }]).toEqual([5, 3, 1])
    expect(PyRange.of(0, 10, 2).contains(4)).toBe(true)
    expect(PyRange.of(0, 10, 2).contains(5)).toBe(false)
    expect(PyRange.of(0, 5, 3).equals(PyRange.of(0, 4, 3))).toBe(true)
    expect(PyRange.of(5, 0).truthy()).toBe(false)
    expect(getItem(PyRange.of(3), -1)).toBe(2)
  })

  it.each<[Value[], string]>([
    [[], 'range expected at least 1 argument, got 0'],
    [[1, 2, 3, 4], 'range expected at most 3 arguments, got 4'],
    [[1, 2, 0], 'range() arg 3 must not be zero'],
    [['a'], "'str' object cannot be interpreted as an integer"],
  ])('refuses %j: %s', (args, message) => {
    expect(() => PyRange.of(...args)).toThrow(message)
  })
})
