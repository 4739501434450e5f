import { describe, expect, test } from 'vitest'
import { areaNames } from './corpus.ts'
import { runArea } from './run-area.ts'

describe('conformance', () => {
  test.each(areaNames())('%s answers its recorded cases as Salt does', { timeout: 120_000 }, async (area) => {
    const report = await runArea(area)
    expect(report.failures.map((failure) => failure.name)).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  })
})
