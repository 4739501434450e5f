import { describe, expect, test } from 'vitest'
import { capitalize, center, isLower, isUpper, splitLines, splitWords, strip } from './text.ts'

describe('splitLines', () => {
  test.each([
    ['', []],
    ['a\n', ['a']],
    ['a\r\nb', ['a', 'b']],
    ['\n\n', ['', '']],
    ['a\u2028b\x1cc\x85d', ['a', 'b', 'c', 'd']],
  ])('parts %j at every line end Python knows', (text, lines) => {
    expect(splitLines(text)).toEqual(lines)
  })

  test('keeps the ends when asked', () => {
    expect(splitLines('a\r\nb\n', true)).toEqual(['a\r\n', 'b\n'])
  })
})

test('strip takes spaces, or just the given characters, from both ends', () => {
  expect(strip('\x1f\u3000 a b \t')).toBe('a b')
  expect(strip('\ufeffa')).toBe('\ufeffa')
  expect(strip('--x-y--', '-')).toBe('x-y')
  expect(strip('😀x😀', '😀')).toBe('x')
})

test('splitWords gives the words between runs of spaces', () => {
  expect(splitWords(' a  b\x1fc ')).toEqual(['a', 'b', 'c'])
  expect(splitWords(' ')).toEqual([])
})

test('center puts the odd column left only in an odd width', () => {
  expect(center('ab', 5)).toBe('  ab ')
  expect(center('a', 4)).toBe(' a  ')
  expect(center('abc', 2)).toBe('abc')
})

test.each([
  ['hELLO', 'Hello'],
  ['ßa', 'Ssa'],
  ['ǆab', 'ǅab'],
  ['ΑΣ', 'Ας'],
  ['აბ', 'აბ'],
  ['ᾳ', 'ᾼ'],
])('capitalize makes %j %j', (text, result) => {
  expect(capitalize(text)).toBe(result)
})

test('isLower and isUpper need a cased letter and no other case', () => {
  expect(['a1', 'A', 'aA', '1', 'ǅ', 'ª'].map(isLower)).toEqual([true, false, false, false, false, true])
  expect(['A1', 'a', 'aA', '1', 'ǅ', 'Ⅷ'].map(isUpper)).toEqual([true, false, false, false, false, true])
})
