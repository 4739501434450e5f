import { expect, it } from 'vitest'
import { globMatcher } from './glob.ts'

it.each([
  ['*', '', true],
  ['', '', true],
  ['', 'a', false],
  ['a*', 'abc', true],
  ['*c', 'abc', true],
  ['a*c', 'abd', false],
  ['*b*', 'abc', true],
  ['a*b*c', 'aXbXbXc', true],
  ['a**c', 'abc', true],
  ['a?c', 'a\nc', true],
  ['a?c', 'ac', false],
  ['[abc]x', 'bx', true],
  ['[a-c]x', 'dx', false],
  ['[!a-c]x', 'dx', true],
  ['[^a]x', 'ax', false],
  ['[a-]x', '-x', true],
  ['[z-a]x', 'zx', false],
  ['[x', '[x', true],
  ['a.c', 'abc', false],
  ['(a+)+', '(a+)+', true],
  ['?', '💡', true],
])('glob %j on %j: %s', (glob, text, fits) => {
  expect(globMatcher(glob)(text)).toBe(fits)
})

it('matches a glob of many stars against a long text', () => {
  // an expression of as many `.*` would not end
  expect(globMatcher(`${'*a'.repeat(50)}b`)('a'.repeat(2000))).toBe(false)
  expect(globMatcher('*a'.repeat(50))('a'.repeat(2000))).toBe(true)
})
