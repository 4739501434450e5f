import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { METRICS_PAGE, metricsPage } from './metrics-manual.ts'

test('the page of metrics is what the declarations give', () => {
  expect(readFileSync(join(import.meta.dirname, '..', METRICS_PAGE), 'utf8')).toBe(metricsPage())
})
