// docs/security.md names a test for each claim; each of them must exist.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const text = readFileSync(join(root, 'docs', 'security.md'), 'utf8').replaceAll(/\s+/g, ' ')

/** A file in backquotes, and the words behind it in quotation marks. */
const NAMED = /`([\w./-]+\.test\.ts)`((?:,? "[^"]+")+)/g

const claims = [...text.matchAll(NAMED)].flatMap(([, file = '', words = '']) =>
  [...words.matchAll(/"([^"]+)"/g)].map(([, part = '']) => [file, part] as const),
)

test.each(claims)('%s has a test about "%s"', (file, words) => {
  const path = [join(root, 'test', 'security', file), join(root, file)].find((one) => existsSync(one))
  expect(path, `${file} exists`).toBeDefined()
  expect(readFileSync(path!, 'utf8').replaceAll(/\s+/g, ' ')).toContain(words)
})

test('The document names tests', () => expect(claims.length).toBeGreaterThan(60))
