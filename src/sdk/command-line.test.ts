import { describe, expect, test } from 'vitest'
import { repr, type Signature, type Value } from '../data/mod.ts'
import { bindPublished, parseInput, publishedArguments, readArgument } from './command-line.ts'

describe('an argument', () => {
  test.each<[string, string]>([
    ['8080', '8080'],
    ['1.0', '1.0'],
    ['yes', 'True'],
    ['None', 'None'],
    ['~', 'None'],
    ['', "''"],
    ['---', "'---'"],
    ['1_000', "'1_000'"],
    ['{a: 1}', "{'a': 1}"],
    ['a: 1', "'a: 1'"],
    ['[1, x]', "[1, 'x']"],
    ['- x', "'- x'"],
    ['x #y', "'x #y'"],
    ['[1] # y', '[1]'],
    ['!', "'!'"],
    ['a\tb', "'a\\tb'"],
    ['{a', "'{a'"],
    ['2020-01-01', "'2020-01-01'"],
    ['!!binary aGk=', "'!!binary aGk='"],
  ])('%j means %s', (text, wanted) => {
    expect(repr(readArgument(text))).toBe(wanted)
  })
})

describe('a command line', () => {
  test('is parted into positional arguments and keywords', () => {
    const parsed = parseInput(['1', 'a=2', 'b==c', '9x=1', 'n=[1]', 'raw=1'], new Set(['raw']))
    expect(repr(parsed.args)).toBe("[1, 'b==c', '9x=1']")
    expect(repr(new Map(parsed.kwargs))).toBe("{'a': 2, 'n': [1], 'raw': '1'}")
    expect(repr(publishedArguments(parsed))).toBe(
      "[1, 'b==c', '9x=1', {'__kwarg__': True, 'a': 2, 'n': [1], 'raw': '1'}]",
    )
  })

  test('publishes a number that looks like a job id as text', () => {
    expect(repr(publishedArguments(parseInput(['20201231235959123456'])))).toBe("['20201231235959123456']")
  })
})

describe('a published list', () => {
  const signature: Signature = {
    name: 'f',
    positional: ['a', 'b'],
    required: 1,
    keywordOnly: [],
    requiredKeywords: [],
    rest: false,
    open: false,
  }

  test('gives a function its arguments', () => {
    const bound = bindPublished(signature, [
      1,
      new Map<Value, Value>([
        ['__kwarg__', true],
        ['b', 2],
      ]),
    ])
    expect([bound.args, [...bound.kwargs]]).toEqual([[1], [['b', 2]]])
  })

  test('gives a dict that is marked otherwise without its mark', () => {
    const marked = new Map<Value, Value>([
      ['__kwarg__', false],
      ['b', 2],
    ])
    expect(repr(bindPublished(signature, [marked]).args)).toBe("[{'b': 2}]")
  })

  test('is refused when it names parameters that the function does not have', () => {
    expect(() => bindPublished(signature, ['c=3', 'd=x'])).toThrow(
      'The following keyword arguments are not valid: c=3, d=x',
    )
  })
})
