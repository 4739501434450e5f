import { expect, it } from 'vitest'
import { isBlacklisted } from './access/lists.ts'
import { begins, means } from './configured-pattern.ts'

it.each<[string, string, boolean]>([
  ['test.*', 'test.ping', true],
  ['ping', 'test.ping', false],
  ['[', 'test.ping', false],
  ['.*a.*b', 'ab'.repeat(10_000), false],
])('%s at the beginning', (pattern, text, expected) => {
  expect(begins(pattern, text)).toBe(expected)
})

it.each<[string, string, boolean]>([
  ['web1', 'web1', true],
  ['web*', 'web1', true],
  ['web\\d', 'web1', true],
  ['web', 'web1', false],
  ['*.example.com', 'web1', false],
  ['*', 'x'.repeat(257), false],
])('%s as a whole', (pattern, name, expected) => {
  expect(means(pattern, name)).toBe(expected)
})

it('a blacklist takes a name that is too long for it as named', () => {
  const opts = new Map([['publisher_acl_blacklist', new Map([['modules', ['cmd.*']]])]])
  expect(isBlacklisted(opts, 'tina', ['test.ping'])).toBe(false)
  expect(isBlacklisted(opts, 'tina', ['cmd.run'])).toBe(true)
  expect(isBlacklisted(opts, 'tina', [`cmd.${'x'.repeat(300)}`])).toBe(true)
})
