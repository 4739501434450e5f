import { describe, expect, test } from 'vitest'
import { tuple } from '../data/mod.ts'
import { toValue } from './result.ts'

describe('a result', () => {
  test('becomes a value: plain objects become dicts and nothing becomes None', () => {
    expect(toValue({ a: [{ b: undefined }], c: 1 })).toEqual(
      new Map<unknown, unknown>([
        ['a', [new Map([['b', null]])]],
        ['c', 1],
      ]),
    )
    expect(toValue(undefined)).toBeNull()
  })

  test('is handed on uncopied when it is a value already', () => {
    const list = [1, [2], new Map(), tuple([1])]
    expect(toValue(list)).toBe(list)
  })

  test('keeps a key that JavaScript gives a meaning', () => {
    expect(toValue(JSON.parse('{"__proto__": 1}'))).toEqual(new Map([['__proto__', 1]]))
  })
})
