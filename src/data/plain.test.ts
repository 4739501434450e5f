import { describe, expect, it } from 'vitest'
import { fromPlain, toPlain } from './plain.ts'
import { Float, tuple, type Value } from './value.ts'

describe('fromPlain', () => {
  it('turns plain objects into dicts, deeply', () => {
    const data = { a: [1, { b: null }], c: new Map<unknown, unknown>([[1, { d: 'e' }]]), f: tuple([new Map()]) }
    const value = fromPlain(data) as Map<Value, Value>
    expect(value).toEqual(
      new Map<Value, Value>([
        ['a', [1, new Map([['b', null]])]],
        ['c', new Map([[1, new Map([['d', 'e']])]])],
        ['f', tuple([new Map()])],
      ]),
    )
  })

  it('takes own keys only, and a key named __proto__ as any other', () => {
    const data = JSON.parse('{"__proto__": 1}') as object
    expect(fromPlain(data)).toEqual(new Map([['__proto__', 1]]))
  })

  it.each<[unknown, string]>([
    [{ a: [0, undefined] }, 'Cannot take undefined as data at a.1'],
    [{ f: () => 1 }, 'Cannot take a function as data at f'],
    [Symbol('s'), 'Cannot take a symbol as data'],
    [[new Date(0)], 'Cannot take an instance of Date as data at 0'],
  ])('refuses %o', (data, message) => {
    expect(() => fromPlain(data)).toThrow(message)
  })

  it('refuses circles', () => {
    const circle: Record<string, unknown> = {}
    circle['again'] = circle
    expect(() => fromPlain(circle)).toThrow('Cannot take a circular reference as data at again')
  })
})

describe('toPlain', () => {
  it('gives objects without a prototype', () => {
    const plain = toPlain(new Map<Value, Value>([['__proto__', [new Float(1), tuple(['x'])]]])) as object
    expect(Object.getPrototypeOf(plain)).toBeNull()
    expect(Object.entries(plain)).toEqual([['__proto__', [1, ['x']]]])
  })

  it('refuses keys that are no text', () => {
    expect(() => toPlain([new Map([[1, 2]])])).toThrow('Cannot give a dict with the key 1 as plain data at 0')
  })
})
