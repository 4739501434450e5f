import { describe, expect, it } from 'vitest'
import { fnmatch, fnmatchFilter } from './fnmatch.ts'

describe('fnmatch', () => {
  it.each([
    ['*', '', true],
    ['*', 'a\nb', true],
    ['web*', 'web1.example', true],
    ['web?', 'web', false],
    ['w?b', 'w😀b', true],
    ['web[0-3]', 'web2', true],
    ['web[!0-3]', 'web2', false],
    ['[]]', ']', true],
    ['[!]]', ']', false],
    ['[a', '[a', true],
    ['[^a]', '^', true],
    ['[--0]', '.', true],
    ['[b-a]', 'a', false],
    ['[!b-a]', 'a', true],
    ['a\\*', 'a\\x', true],
    ['WEB', 'web', false],
    ['*a*b*c', 'xaxbxcxbc', true],
    ['*a*b*c', 'xaxbxcxb', false],
  ])('%j against %j says %s', (pattern, text, expected) => {
    expect(fnmatch(text, pattern)).toBe(expected)
  })

  it('stays fast where backtracking would explode', () => {
    expect(fnmatch('a'.repeat(2000), `${'*a'.repeat(40)}b`)).toBe(false)
  })

  it('filters names', () => {
    expect(fnmatchFilter(['db1', 'web1', 'web2'], 'web*')).toEqual(['web1', 'web2'])
  })
})
