import { describe, expect, test } from 'vitest'
import { parseTime } from './strptime.ts'

describe('a time in a name', () => {
  test.each([
    ['b-20200131_0305', 'b-%Y%m%d_%H%M', 1580439900],
    ['Jan  1 2020 01:02:03 PM', '%b %d %Y %I:%M:%S %p', 1577883723],
    ['2020-366', '%Y-%j', 1609372800],
    ['69', '%y', -31536000],
  ])('%j is read by %j', (name, format, epoch) => {
    expect(parseTime(name, format)?.epoch).toBe(epoch)
  })

  test.each([
    ['b-20201301', 'b-%Y%m%d'],
    ['20200230', '%Y%m%d'],
    ['x2020', '%Y'],
    ['2020', '%Q'],
  ])('%j has none by %j', (name, format) => {
    expect(parseTime(name, format)).toBeUndefined()
  })
})
