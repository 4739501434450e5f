import { describe, expect, it } from 'vitest'
import { batchSize } from './batch-size.ts'

describe('the size of a batch', () => {
  it.each([
    ['2', 10, 2],
    ['0', 10, 1],
    ['40%', 5, 2],
    ['%10', 5, 1],
    ['33.4%', 9, 3],
    ['150%', 4, 6],
  ])('%s of %i is %i', (spec, minions, wanted) => {
    expect(batchSize(spec, minions)).toBe(wanted)
  })

  it('must be a number', () => {
    expect(() => batchSize('abc', 3)).toThrow("Invalid batch specification 'abc': must be an integer")
  })
})
