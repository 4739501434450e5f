import { expect, it } from 'vitest'
import { isLeftover, OWN_NAME } from './owner.ts'

// the kernel gives no process a number this high
const GONE = 4_194_305

it.each([
  [OWN_NAME, false],
  [`brine-lab-${GONE}`, true],
  [`brine-lab-${GONE}x`, false],
  [`somebody-${GONE}`, false],
])('%s is left over: %s', (name, leftover) => {
  expect(isLeftover(name)).toBe(leftover)
})
