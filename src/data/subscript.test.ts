import { describe, expect, it } from 'vitest'
import { getItem, setItem } from './subscript.ts'
import { tuple, type Value } from './value.ts'

describe('getItem', () => {
  it.each<[Value, Value, Value]>([
    [new Map([['k', null]]), 'k', null],
    [new Map([[1, 'one']]), true, 'one'],
    [[1, 2], -1, 2],
    [tuple(['a']), 0, 'a'],
    ['h😀i', 1, '😀'],
    [Uint8Array.of(7), 0, 7],
  ])('%j[%j] is %j', (value, key, expected) => {
    expect(getItem(value, key)).toBe(expected)
  })

  it.each<[Value, Value, string, string]>([
    [new Map(), 'k', 'KeyError', "'k'"],
    [[1], 1, 'IndexError', 'list index out of range'],
    [tuple([1]), -2, 'IndexError', 'tuple index out of range'],
    ['', 0, 'IndexError', 'string index out of range'],
    [Uint8Array.of(), 0, 'IndexError', 'index out of range'],
    [[], 'k', 'TypeError', 'list indices must be integers or slices, not str'],
    ['s', 'k', 'TypeError', "string indices must be integers, not 'str'"],
    [Uint8Array.of(), null, 'TypeError', 'byte indices must be integers or slices, not NoneType'],
    [3, 0, 'TypeError', "'int' object is not subscriptable"],
    [new Map([['a', 1]]), [], 'TypeError', "unhashable type: 'list'"],
  ])('%j[%j] raises %s: %s', (value, key, code, message) => {
    expect(() => getItem(value, key)).toThrow(expect.objectContaining({ code, message }))
  })
})

describe('setItem', () => {
  it('sets items of dicts and lists', () => {
    const list: Value[] = [1, 2]
    setItem(list, -1, 3)
    expect(list).toEqual([1, 3])
    expect(() => setItem(list, 2, 0)).toThrow('list assignment index out of range')
    expect(() => setItem(tuple([1]), 0, 0)).toThrow("'tuple' object does not support item assignment")
  })
})
