import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FAMILIES, tableText } from './plugin-table.ts'

test.each(FAMILIES)('$table is what the tool would write', async (family) => {
  const root = join(import.meta.dirname, '..')
  expect(readFileSync(join(root, 'src/loader', family.table), 'utf8')).toBe(await tableText(root, family))
})
