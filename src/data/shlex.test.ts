import { describe, expect, test } from 'vitest'
import { shlexQuote, shlexSplit } from './shlex.ts'

describe('shlexSplit', () => {
  test.each<[string, string[]]>([
    ["a 'b c' d\\ e", ['a', 'b c', 'd e']],
    ['x"y z"w ""', ['xy zw', '']],
    ['"a\\"b\\n\\\\"', ['a"b\\n\\']],
    [' # no comment ', ['#', 'no', 'comment']],
    ['', []],
  ])('cuts %j', (line, words) => {
    expect(shlexSplit(line)).toEqual(words)
  })

  test.each([
    ["it's", 'No closing quotation'],
    ['a\\', 'No escaped character'],
    ['"a\\', 'No escaped character'],
  ])('refuses %j', (line, message) => {
    expect(() => shlexSplit(line)).toThrow(message)
  })
})

describe('shlexQuote', () => {
  test.each([
    ['', "''"],
    ['a/b-c', 'a/b-c'],
    ['a b', "'a b'"],
    ["it's", `'it'"'"'s'`],
  ])('protects %j', (text, quoted) => {
    expect(shlexQuote(text)).toBe(quoted)
  })
})
