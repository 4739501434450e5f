import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tableText } from './plugin-table.ts'

test('the table of modules is what the tool would write', async () => {
  const root = join(import.meta.dirname, '..')
  expect(readFileSync(join(root, 'src/loader/module-table.ts'), 'utf8')).toBe(await tableText(root))
})
