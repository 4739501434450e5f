import { describe, expect, it } from 'vitest'
import { type Dict, dictDelete, dictGet, dictHas, dictSet, Float, Tuple, tuple, type Value } from './mod.ts'

function dict(...entries: Array<[Value, Value]>): Dict {
  const result: Dict = new Map()
  for (const [key, value] of entries) dictSet(result, key, value)
  return result
}

describe('dict keys', () => {
  const one = [1, true, new Float(1), 1n] as const

  it.each(one.flatMap((stored) => one.map((asked) => [stored, asked] as const)))(
    '%s is found by %s',
    (stored, asked) => {
      const map = dict([stored, 'x'], ['1', 'text'])
      expect(dictGet(map, asked)).toBe('x')
      dictSet(map, asked, 'y')
      expect(map.size).toBe(2)
      expect([...map.keys()][0]).toBe(stored)
      expect(dictDelete(map, asked)).toBe('y')
      expect(dictHas(map, stored)).toBe(false)
    },
  )

  it('tuples are equal by their items, and lists are refused', () => {
    const map = dict([tuple([1, 'a']), 'x'])
    expect(dictGet(map, Tuple.of<Value>(true, 'a'))).toBe('x')
    expect(() => dictGet(map, [1])).toThrow("unhashable type: 'list'")
    expect(() => dictSet(map, tuple([[1]]), 1)).toThrow("unhashable type: 'list'")
  })

  it('an equal float is found among many ints, wherever it was put in', () => {
    const map: Dict = new Map()
    for (let i = 0; i < 1000; i++) dictSet(map, i, i)
    expect(dictHas(map, 5000)).toBe(false)
    map.set(new Float(5000), 'late')
    expect(dictGet(map, 5000)).toBe('late')
  })

  it('filling a dict with ints takes time in proportion to their number', () => {
    const map: Dict = new Map()
    // would take minutes if each new key were compared with all others
    for (let i = 0; i < 200_000; i++) dictSet(map, i, i)
    expect(map.size).toBe(200_000)
  })
})
