import { expect, test } from 'vitest'
import { ownMemory } from './own-memory.ts'

test('A short view of much memory is copied, and other bytes are not', () => {
  const large = Buffer.alloc(1 << 20, 'x')
  const kept = ownMemory(large.subarray(10, 110))
  expect(kept.equals(large.subarray(10, 110))).toBe(true)
  expect(kept.buffer.byteLength).toBeLessThan(1 << 14)
  const whole = large.subarray(0, 900_000)
  expect(ownMemory(whole)).toBe(whole)
})
