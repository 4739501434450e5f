import { describe, expect, test } from 'vitest'
import { checkDocuments, checkHeads, type Document } from './check-docs.ts'

const around = {
  exists: (path: string) => ['docs/a.md', 'src/data', 'docs/adr/0001-x.md'].includes(path),
  scripts: new Set(['up']),
  rooms: ['data'],
}

const map: Document = { path: 'docs/architecture.md', text: 'the room `data/`' }
const check = (...documents: Document[]) => checkDocuments([map, ...documents], around)

describe('the document checker', () => {
  test.each<[string, Document, string | undefined]>([
    ['lets a good link be', { path: 'docs/b.md', text: '[a](a.md#part)' }, undefined],
    ['lets addresses be', { path: 'b.md', text: '[a](https://example.com/x)' }, undefined],
    ['refuses a dead link', { path: 'b.md', text: '[a](a.md)' }, 'b.md: link to a.md leads nowhere'],
    ['lets code be', { path: 'b.md', text: '```\n[a](a.md)\n```\n' }, undefined],
    [
      'refuses a path that is gone',
      { path: 'b.md', text: '`src/none.ts`' },
      'b.md: names src/none.ts, which is not there',
    ],
    ['lets a path be', { path: 'b.md', text: '`src/data`' }, undefined],
    [
      'refuses a script that is gone',
      { path: 'b.md', text: 'npm run -s no' },
      'b.md: names the script no, which package.json has not',
    ],
    [
      'refuses a record out of number',
      { path: 'docs/adr/0003-x.md', text: '' },
      'docs/adr/0003-x.md: is out of number',
    ],
  ])('%s', (_name, document, problem) => {
    const problems = check(document)
    if (problem === undefined) expect(problems).toEqual([])
    else expect(problems).toContain(problem)
  })

  test('refuses a room that is not described', () => {
    const problems = checkDocuments([{ ...map, text: '' }], around)
    expect(problems).toEqual(['docs/architecture.md: does not describe `data/`'])
  })

  test('refuses a source file that does not introduce itself', () => {
    const files = [
      { path: 'src/data/a.ts', text: 'import x\n' },
      { path: 'src/data/b.ts', text: '// What it is.\n' },
      { path: 'src/data/mod.ts', text: 'export {}\n' },
      { path: 'src/cli/c.ts', text: '#!/usr/bin/env node\n// What it is.\n' },
    ]
    expect(checkHeads(files)).toEqual(['src/data/a.ts: does not say at its head what it is'])
  })
})
