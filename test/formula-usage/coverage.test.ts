import { expect, test } from 'vitest'
import { coverage } from './coverage.ts'

/** Share of the occurrences that must be here. */
const WANTED = 0.95

test.each(coverage())('the library supports the functions of formulas: $what', ({ share, missing }) => {
  expect(share, `not here: ${missing.map(([name]) => name).join(', ')}`).toBeGreaterThanOrEqual(WANTED)
})
