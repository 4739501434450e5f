import { describe, expect, test } from 'vitest'
import { bindArguments, type Signature } from './signature.ts'
import type { Value } from './value.ts'

/** `def f(a, b=…, *, c, d=…)` and the like. */
const signature = (parts: Partial<Signature>): Signature => ({
  name: 'f',
  positional: [],
  required: 0,
  keywordOnly: [],
  requiredKeywords: [],
  rest: false,
  open: false,
  ...parts,
})

const ab = signature({ positional: ['a', 'b'], required: 1 })
const abc = signature({ positional: ['a', 'b', 'c'], required: 3 })
const keyword = signature({ positional: ['a'], required: 1, keywordOnly: ['k', 'm'], requiredKeywords: ['k'] })
const open = signature({ positional: ['a'], required: 1, rest: true, open: true })

describe('Python argument rules', () => {
  test('give positional arguments and keywords to parameters by name', () => {
    const bound = bindArguments(ab, [1], new Map<string, Value>([['b', 2]]))
    expect([...bound.named]).toEqual([
      ['a', 1],
      ['b', 2],
    ])
  })

  test('gather what *args and **kwargs take', () => {
    const bound = bindArguments(open, [1, 2, 3], new Map<string, Value>([['x', 4]]))
    expect([bound.rest, [...bound.further]]).toEqual([[2, 3], [['x', 4]]])
  })

  test.each<[string, Signature, Value[], Record<string, Value>]>([
    ["f() missing 1 required positional argument: 'a'", ab, [], {}],
    ["f() missing 2 required positional arguments: 'b' and 'c'", abc, [1], {}],
    ["f() missing 3 required positional arguments: 'a', 'b', and 'c'", abc, [], {}],
    ['f() takes from 1 to 2 positional arguments but 3 were given', ab, [1, 2, 3], {}],
    ['f() takes 3 positional arguments but 4 were given', abc, [1, 2, 3, 4], {}],
    ['f() takes 0 positional arguments but 1 was given', signature({}), [1], {}],
    ["f() got an unexpected keyword argument 'x'", ab, [1, 2, 3], { x: 1 }],
    ["f() got multiple values for argument 'a'", ab, [1], { a: 1 }],
    ["f() missing 1 required keyword-only argument: 'k'", keyword, [1], {}],
    ['f() takes from 2 to 3 positional arguments but 4 were given', { ...ab, implicit: 'self' }, [1, 2, 3], {}],
    ["f() got multiple values for argument 'self'", { ...ab, implicit: 'self' }, [], { self: 1 }],
    [
      'f() takes 1 positional argument but 2 positional arguments (and 1 keyword-only argument) were given',
      keyword,
      [1, 2],
      { k: 1 },
    ],
  ])('say "%s"', (message, declared, args, kwargs) => {
    expect(() => bindArguments(declared, args, new Map(Object.entries(kwargs)))).toThrow(message)
  })
})
