import { describe, expect, it } from 'vitest'
import { deepCopy, shallowCopy } from './copy.ts'
import { PySet } from './set.ts'
import { type Dict, OrderedDict, tuple, type Value } from './value.ts'

describe('deepCopy', () => {
  it('copies containers of every kind and keeps their class', () => {
    const value: Dict = new OrderedDict([
      ['l', [1, new Map([['k', [2]]])]],
      ['s', new PySet([1])],
    ])
    const copy = deepCopy(value)
    expect(copy).toBeInstanceOf(OrderedDict)
    expect(copy).toEqual(value)
    expect(copy.get('l')).not.toBe(value.get('l'))
    expect(copy.get('s')).not.toBe(value.get('s'))
  })

  it('keeps shared and circular references', () => {
    const shared: Value[] = [1]
    const value: Value[] = [shared, shared]
    value.push(value)
    const copy = deepCopy(value)
    expect(copy[0]).toBe(copy[1])
    expect(copy[0]).not.toBe(shared)
    expect(copy[2]).toBe(copy)
  })

  it('copies a tuple only when something in it can change', () => {
    const constant = tuple([1, tuple(['a'])])
    expect(deepCopy(constant)).toBe(constant)
    const holder = tuple([1, []])
    expect(deepCopy(holder)).toEqual(holder)
    expect(deepCopy(holder)).not.toBe(holder)
  })
})

describe('shallowCopy', () => {
  it('shares the items', () => {
    const inner: Value[] = []
    const map: Dict = new Map([['k', inner]])
    const copy = shallowCopy(map) as Dict
    expect(copy).not.toBe(map)
    expect(copy.get('k')).toBe(inner)
  })
})
