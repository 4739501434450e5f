import { describe, expect, it } from 'vitest'
import { repr } from '../repr.ts'
import { PySet } from '../set.ts'
import { type Dict, tuple, type Value } from '../value.ts'
import { appendDictKeyValue, extendDictKeyValue, setDictKeyValue, updateDictKeyValue } from './key-path.ts'

const at = (path: Value): Dict => new Map([['a', new Map([['b', path]])]])

describe('key paths', () => {
  it('make the dicts on the way, even over other values', () => {
    expect(repr(setDictKeyValue(new Map(), 'a:b:c', 1))).toBe("{'a': {'b': {'c': 1}}}")
    expect(repr(setDictKeyValue(at('text'), 'a:b:c', 1))).toBe("{'a': {'b': {'c': 1}}}")
    expect(repr(setDictKeyValue(new Map(), 'a|b', 1, { delimiter: '|', ordered: true }))).toBe(
      "{'a': OrderedDict([('b', 1)])}",
    )
  })

  it.each<[string, Value, string]>([
    ['update', updateDictKeyValue(at(null), 'a:b', new Map([['k', 1]])), "{'a': {'b': {'k': 1}}}"],
    ['update', updateDictKeyValue(new Map(), 'a', ['xy', [1, 2]]), "{'a': {'x': 'y', 1: 2}}"],
    ['update', updateDictKeyValue(new Map([['a', new PySet([1])]]), 'a', [1, 2]), "{'a': {1, 2}}"],
    ['append', appendDictKeyValue(at(null), 'a:b', [1]), "{'a': {'b': [[1]]}}"],
    ['append', appendDictKeyValue(at([0]), 'a:b', 1), "{'a': {'b': [0, 1]}}"],
    ['extend', extendDictKeyValue(at([0]), 'a:b', 'xy'), "{'a': {'b': [0, 'x', 'y']}}"],
    ['extend', extendDictKeyValue(at(null), 'a:b', new Map([['k', 1]])), "{'a': {'b': ['k']}}"],
  ])('%s gives %s', (_, result, expected) => {
    expect(repr(result)).toBe(expected)
  })

  it.each<[string, () => Value, string]>([
    [
      'update',
      () => updateDictKeyValue(at(1), 'a:b', new Map()),
      "The last key contains a <class 'int'>, which cannot update.",
    ],
    [
      'update',
      () => updateDictKeyValue(new Map(), 'a', null),
      "Cannot update <class 'dict'> with a <class 'NoneType'>.",
    ],
    ['update', () => updateDictKeyValue(new Map(), 'a', [1]), "Cannot update <class 'dict'> with a <class 'list'>."],
    [
      'append',
      () => appendDictKeyValue(at(tuple([1])), 'a:b', 1),
      "The last key contains a <class 'tuple'>, which cannot append.",
    ],
    [
      'extend',
      () => extendDictKeyValue(at('s'), 'a:b', []),
      "The last key contains a <class 'str'>, which cannot extend.",
    ],
    ['extend', () => extendDictKeyValue(new Map(), 'a', 1), "Cannot extend <class 'list'> with a <class 'int'>."],
    ['set', () => setDictKeyValue([], 'a', 1), 'list indices must be integers or slices, not str'],
    ['set', () => setDictKeyValue('text', 'a', 1), "'str' object does not support item assignment"],
    ['set', () => setDictKeyValue(new Map(), 1, 1), "argument of type 'int' is not iterable"],
  ])('%s refuses with Salt’s text', (_, call, message) => {
    expect(call).toThrow(message)
  })
})
