import { expect, test } from 'vitest'
import { wrapText } from './textwrap.ts'

const wrap = (text: string, width: number, breakLongWords = true, breakOnHyphens = true) =>
  wrapText(text, { width, breakLongWords, breakOnHyphens })

test.each([
  ['foo bar baz qux', 7, ['foo bar', 'baz qux']],
  ['averylongwordhere x', 5, ['avery', 'longw', 'ordhe', 're x']],
  ['a well-known e-mail', 7, ['a well-', 'known', 'e-mail']],
  ['foo--bar', 5, ['foo--', 'bar']],
  ['--flag 1-2', 6, ['--flag', '1-2']],
  ['  lead', 4, ['lead']],
  ['😀😀😀', 2, ['😀😀', '😀']],
  ['', 5, []],
])('wrapText breaks %j at %d columns', (text, width, lines) => {
  expect(wrap(text, width)).toEqual(lines)
})

test('wrapText leaves long words and hyphens whole when told', () => {
  expect(wrap('averylongwordhere x', 5, false)).toEqual(['averylongwordhere', 'x'])
  expect(wrap('a well-known word', 10, true, false)).toEqual(['a', 'well-known', 'word'])
})

test('wrapText refuses a width of nothing', () => {
  expect(() => wrap('a', 0)).toThrow('invalid width 0 (must be > 0)')
})
