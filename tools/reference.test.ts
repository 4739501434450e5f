import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namedPages, REFERENCE_FAMILIES, referencePages } from './reference.ts'

const root = join(import.meta.dirname, '..')

test.each(REFERENCE_FAMILIES)('the reference of %s is what the declarations give', async (family) => {
  const folder = join(root, 'docs', 'reference', family)
  const pages = await referencePages(root, family)
  expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort())
  const stale = [...pages].filter(([file, text]) => readFileSync(join(folder, file), 'utf8') !== text)
  expect(stale.map(([file]) => file)).toEqual([])
})

test('the pages of the other kinds are what the declarations give', async () => {
  for (const [file, text] of await namedPages(root)) {
    expect(readFileSync(join(root, 'docs', 'reference', file), 'utf8')).toBe(text)
  }
})
