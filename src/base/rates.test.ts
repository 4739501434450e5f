import { expect, it } from 'vitest'
import { Rates } from './rates.ts'

it('gives each key a burst, and then so much per second', () => {
  let now = 0
  const rates = new Rates({ perSecond: 10, burst: 20, now: () => now })
  expect(Array.from({ length: 25 }, () => rates.take('web1')).filter(Boolean)).toHaveLength(20)
  expect(rates.take('web2')).toBe(true)
  now += 500
  expect(Array.from({ length: 25 }, () => rates.take('web1')).filter(Boolean)).toHaveLength(5)
  now += 60_000
  expect(rates.left('web1')).toBe(20)
})

it('bounds the remembered keys, and keeps the most recent ones', () => {
  let now = 0
  const rates = new Rates({ perSecond: 0, burst: 2, most: 3, now: () => now })
  for (const key of ['a', 'b', 'c', 'a', 'd']) {
    rates.spend(key)
    now += 1000
  }
  expect(['a', 'b', 'c', 'd'].map((key) => rates.left(key))).toEqual([0, 2, 1, 1])
})

it('makes room for many new keys at once, not for each of them', () => {
  let asked = 0
  const now = (): number => {
    asked++
    return 0
  }
  const rates = new Rates({ perSecond: 0, burst: 2, most: 1000, now })
  for (let key = 0; key < 10_000; key++) rates.spend(`host${key}`)
  // looking at all keys for each new one would ask millions of times
  expect(asked).toBeLessThan(200_000)
  expect(rates.left('host9999')).toBe(1)
})
