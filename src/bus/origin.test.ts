import { expect, it } from 'vitest'
import { isFrom, minionOrigin, readOrigin, readOriginPattern, readOriginText, UNKNOWN } from './origin.ts'

const from = (pattern: string): boolean => {
  const read = readOriginPattern(pattern)
  if ('problem' in read) throw new Error(read.problem)
  return isFrom(minionOrigin('web1'), [read])
}

it('a condition names a kind, or a kind and a glob of names', () => {
  expect(['minion', 'minion:web1', 'minion:web*', 'minion:*'].map(from)).toEqual([true, true, true, true])
  expect(['master', 'user:web1', 'minion:db*', 'minion:WEB1'].map(from)).toEqual([false, false, false, false])
})

it.each(['minon:web1', 'minion:', '', 'web1', null, 7, ['minion']])('%j is no condition', (given) => {
  expect(readOriginPattern(given)).toEqual({
    problem: expect.stringContaining('is no origin: write one of master, minion'),
  })
})

it('the origin in a frame is read as it was written, and other values are unknown', () => {
  expect(readOrigin(['minion', 'web1', 'session'])).toEqual(minionOrigin('web1'))
  for (const wrong of [
    undefined,
    null,
    'minion',
    ['minion', 'web1'],
    ['root', 'x', 'session'],
    ['minion', 'x', 'sworn'],
  ])
    expect(readOrigin(wrong)).toEqual(UNKNOWN)
  expect(readOriginText('minion:web1')).toEqual(minionOrigin('web1'))
  expect(readOriginText('toString')).toEqual(UNKNOWN)
})
