import { expect, test } from 'vitest'
import { RecentCount, RecentValues } from './recent.ts'

test('Counts of the last minute and hour drop older occurrences', () => {
  const count = new RecentCount()
  for (let second = 0; second < 120; second++) count.add(second * 1000)
  expect([count.lastMinute(119_500), count.lastHour(119_500)]).toEqual([60, 120])
  expect([count.lastMinute(140_000), count.lastHour(140_000)]).toEqual([39, 120])
  expect([count.lastMinute(3_600_000), count.lastHour(3_600_000)]).toEqual([0, 60])
  expect(count.lastHour(90_000_000)).toBe(0)
})

test('Quantiles are those of the latest values', () => {
  const values = new RecentValues(100)
  expect(values.quantile(0.5)).toBeUndefined()
  values.add(7)
  expect([values.quantile(0.5), values.quantile(0.95)]).toEqual([7, 7])
  for (let value = 1000; value > 0; value--) values.add(value)
  expect([values.quantile(0.5), values.quantile(0.95), values.quantile(1)]).toEqual([50, 95, 100])
})
