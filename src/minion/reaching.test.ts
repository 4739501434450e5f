import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { SignInError, WireError } from '../wire/mod.ts'
import { pauseAfter } from './reaching.ts'

const opts = new Map<Value, Value>([
  ['acceptance_wait_time', 2],
  ['acceptance_wait_time_max', 5],
  ['random_reauth_delay', 3],
])

test('A master that does not answer is tried again at once, whatever the other pauses are', () => {
  const silences = [
    new SignInError({ status: 'timeout' }),
    new WireError('Closed', ''),
    new WireError('SaltReqTimeoutError', ''),
  ]
  for (const silence of silences) expect(pauseAfter(silence, 5, opts)).toBeLessThanOrEqual(500)
})

test('A sign-in that was refused is tried again after acceptance_wait_time', () => {
  const refused = new SignInError({ status: 'refused', reply: 'bad load' })
  expect([1, 2, 3].map((attempt) => pauseAfter(refused, attempt, opts))).toEqual([2000, 4000, 5000])
  expect(pauseAfter(refused, 3, new Map([['acceptance_wait_time', 2]]))).toBe(2000)
})

test('After another failure a minion waits a random time, up to random_reauth_delay', () => {
  const pauses = new Set(Array.from({ length: 200 }, () => pauseAfter(new Error('no pillar'), 1, opts)))
  expect([...pauses].sort()).toEqual([1000, 2000, 3000])
  expect(pauseAfter(new Error('no pillar'), 1, new Map([['random_reauth_delay', 0]]))).toBe(1000)
})
