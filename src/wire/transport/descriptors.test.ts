import { describe, expect, it } from 'vitest'
import { connectionLimits, minionsCarried } from './descriptors.ts'

describe('the limit of open files', () => {
  it.each([256, 1024, 4096, 20_000, 1_048_576])(
    'of %i leaves some to what are no connections of the network',
    (limit) => {
      for (const isRelieved of [true, false]) {
        const { requests, own } = connectionLimits(isRelieved, limit)
        expect(limit - requests - own).toBeGreaterThanOrEqual(64)
      }
    },
  )

  it.each([
    [true, 1024, 717],
    [true, 20_000, 15_181],
    [false, 1024, 448],
    [true, Number.POSITIVE_INFINITY, 80_000],
  ])('carries so many minions (second process: %s, limit %i)', (isRelieved, limit, minions) => {
    expect(minionsCarried(isRelieved, limit)).toBe(minions)
  })
})
