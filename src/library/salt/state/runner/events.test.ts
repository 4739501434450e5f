import { describe, expect, it } from 'vitest'
import { fnmatch } from '../../../../data/mod.ts'
import { beginningOf } from '../../common/event-place.ts'
import { roughly } from './events.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')

describe('since', () => {
  it.each([
    [1042, { number: 1042 }],
    ['1042', { number: 1042 }],
    ['90s', { time: NOW - 90_000 }],
    ['10m', { time: NOW - 600_000 }],
    ['1h30m', { time: NOW - 5_400_000 }],
    ['1.5d', { time: NOW - 129_600_000 }],
    ['@1772366400', { time: 1_772_366_400_000 }],
    ['2026-03-01T11:00:00Z', { time: Date.parse('2026-03-01T11:00:00Z') }],
    ['2026-03-01', { time: new Date(2026, 2, 1).getTime() }],
    ['20260301110203123456', { time: new Date(2026, 2, 1, 11, 2, 3, 123).getTime() }],
  ])('takes %s', (since, beginning) => {
    expect(beginningOf(since, NOW)).toEqual(beginning)
  })

  it.each(['yesterday', '10 parsecs', ''])('refuses %j', (since) => {
    expect(() => beginningOf(since, NOW)).toThrow(`since='${since}' is no number of an event`)
  })
})

describe('the glob for an expression', () => {
  it.each([
    ['*', '*', ['a']],
    ['salt/job/*', 'salt/job*', ['salt/job/1/new', 'salt/job']],
    ['salt/job/[0-9]+/ret', 'salt/job/*', ['salt/job/12/ret']],
    ['salt/a?b', 'salt/*', ['salt/b', 'salt/axb']],
    ['a/b|c/d', '*', ['a/b', 'c/d']],
    ['shop/a', 'shop/a', ['shop/a']],
  ])('of %s has all tags that match', (expression, glob, tags) => {
    expect(roughly(expression)).toBe(glob)
    for (const tag of tags) expect(fnmatch(tag, glob)).toBe(true)
  })
})
