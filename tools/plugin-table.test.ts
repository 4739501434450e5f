import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAMILIES, SHORT_FAMILIES, shortTableText, tableFile, tableText } from './plugin-table.ts'

const root = join(import.meta.dirname, '..')

test.each(FAMILIES)('the table of the kind $kind is what the tool would write', async (family) => {
  expect(readFileSync(tableFile(root, family), 'utf8')).toBe(await tableText(root, family))
})

test.each(SHORT_FAMILIES)('the table of the kind $kind is what the tool would write', async (family) => {
  expect(readFileSync(tableFile(root, family), 'utf8')).toBe(await shortTableText(root, family))
})
