import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { printDisplay } from './print.ts'

test('printDisplay writes a line, and nothing for an empty text', () => {
  const written: string[] = []
  for (const text of ['a', '']) printDisplay(text, new Map(), (line) => written.push(line))
  expect(written).toEqual(['a\n'])
})

test('printDisplay appends to the file of the options instead', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-print-'))
  try {
    const opts = new Map<Value, Value>([['output_file', join(root, 'out')]])
    for (const text of ['a', 'b']) printDisplay(text, opts, () => expect.unreachable())
    expect(readFileSync(join(root, 'out'), 'utf8')).toBe('a\nb\n')
  } finally {
    rmSync(root, { recursive: true })
  }
})
