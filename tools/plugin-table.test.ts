import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAMILIES, SHORT_FAMILIES, shortTableText, tableText } from './plugin-table.ts'

test.each(FAMILIES)('$table is what the tool would write', async (family) => {
  const root = join(import.meta.dirname, '..')
  expect(readFileSync(join(root, 'src/loader', family.table), 'utf8')).toBe(await tableText(root, family))
})

test.each(SHORT_FAMILIES)('the table of $folder is what the tool would write', (family) => {
  const root = join(import.meta.dirname, '..')
  const written = readFileSync(join(root, 'src/loader', `${family.kind}-table.ts`), 'utf8')
  expect(written).toBe(shortTableText(root, family))
})
