import { describe, expect, it } from 'vitest'
import { readOriginFilter, readTagFilter } from './filter.ts'

describe('the filter of tags', () => {
  it.each([
    ['', 'anything', true, undefined],
    ['job', 'salt/job/1/new', true, '*job*'],
    ['job', 'salt/auth', false, '*job*'],
    ['salt/job/*', 'salt/job/1/new', true, 'salt/job/*'],
    ['salt/job/*', 'my/salt/job/1', false, 'salt/job/*'],
    ['a?c', 'abc', true, 'a?c'],
    ['a[!b]c', 'abc', false, 'a[!b]c'],
    ['a.c*', 'abc', false, 'a.c*'],
    ['/ret|new/', 'salt/job/1/ret/web1', true, undefined],
    ['/^ret/', 'salt/job/1/ret/web1', false, undefined],
    ['*a*b*c*d*', 'abcd', true, undefined],
  ])('%s on %s: %s', (typed, tag, fits, glob) => {
    const filter = readTagFilter(typed)
    expect(filter.fits(tag)).toBe(fits)
    expect(filter.glob).toBe(glob)
    expect(filter.problem).toBeUndefined()
  })

  it('reports an invalid expression, and filters nothing', () => {
    const filter = readTagFilter('/(/')
    expect(filter.problem).toMatch(/\(/)
    expect(filter.fits('x')).toBe(true)
  })
})

it('filters senders by kind or glob', () => {
  expect(readOriginFilter('minion').fits('minion:web1')).toBe(true)
  expect(readOriginFilter('minion:web*').fits('minion:db1')).toBe(false)
  expect(readOriginFilter('*:web1').glob).toBe('*:web1')
})
