import { expect, test } from 'vitest'
import { MasterClock, thisMoment } from './master-clock.ts'

const HOUR = 3_600_000

test("the master's clock goes on from when it was asked", () => {
  const { steady, day } = thisMoment()
  const asked = { steady: steady - HOUR, day: day - HOUR }
  expect([4600, 4601, 4602]).toContain(new MasterClock(1000, asked).now())
})

test.each([
  ['slept', { steady: 0, day: -HOUR }],
  ['had its time of day set back', { steady: -HOUR, day: HOUR }],
])("the master's clock does not fall behind on a machine that %s", (_name, { steady, day }) => {
  const now = thisMoment()
  expect(new MasterClock(1000, { steady: now.steady + steady, day: now.day + day }).now()).toBeGreaterThanOrEqual(4600)
})
