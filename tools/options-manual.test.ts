import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { manualPath, manualText } from './options-manual.ts'

test.each(['minion', 'master'] as const)('the manual of %s options is what the tables give', (role) => {
  expect(readFileSync(join(import.meta.dirname, '..', manualPath(role)), 'utf8')).toBe(manualText(role))
})
