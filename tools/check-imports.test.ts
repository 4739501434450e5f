import { describe, expect, test } from 'vitest'
import { checkImports, findCycles } from './check-imports.ts'
import { importsOf } from './source-files.ts'

const check = (files: Record<string, string>) =>
  checkImports(Object.entries(files).map(([path, text]) => ({ path: `src/${path}`, text })))

describe('the import checker', () => {
  test.each<[string, Record<string, string>, RegExp | undefined]>([
    ['lets a room import one above it', { 'yaml/a.ts': "import { x } from '../data/mod.ts'" }, undefined],
    [
      'refuses an import down the list',
      { 'data/a.ts': "import { x } from '../yaml/mod.ts'" },
      /yaml\/ lies below data\//,
    ],
    ['refuses a type import down the list', { 'data/a.ts': "import type { X } from '../yaml/mod.ts'" }, /lies below/],
    ['refuses a lazy import down the list', { 'data/a.ts': "const x = await import('../yaml/mod.ts')" }, /lies below/],
    ['refuses a way around the face', { 'yaml/a.ts': "import { x } from '../data/value.ts'" }, /only data\/mod\.ts/],
    [
      'refuses a re-export around the face',
      { 'yaml/mod.ts': "export { x } from '../data/value.ts'" },
      /only data\/mod/,
    ],
    ['refuses the own face', { 'data/a.ts': "import { x } from './mod.ts'" }, /import the file itself/],
    ['refuses I/O in a pure room', { 'jinja/a.ts': "import { readFileSync } from 'node:fs'" }, /jinja\/ is pure/],
    ['lets a pure room hash', { 'jinja/a.ts': "import { createHash } from 'node:crypto'" }, undefined],
    ['refuses the environment in a pure room', { 'data/a.ts': 'const x = process.env.HOME' }, /data\/ is pure/],
    ['refuses the network in a pure room', { 'data/a.ts': 'const x = await fetch(address)' }, /data\/ is pure/],
    ['lets a pure room talk of processes', { 'data/a.ts': '// process.env is not read\n' }, undefined],
    ['lets tests of a pure room read files', { 'data/a.test.ts': "import 'node:fs'" }, undefined],
    [
      'refuses a plugin that imports a daemon',
      { 'library/files/file/state.ts': "import { x } from '../../../render/mod.ts'" },
      /plugins import only/,
    ],
    [
      'refuses a daemon that imports a plugin',
      { 'minion/a.ts': "import { x } from '../library/files/file/state.ts'" },
      /through the loader/,
    ],
    [
      'lets the loader load a plugin',
      { 'loader/a.ts': "const x = () => import('../library/files/file/state.ts')" },
      undefined,
    ],
    [
      'refuses a plugin that imports another subject',
      { 'library/files/file/state.ts': "import { x } from '../../users/user/passwd.ts'" },
      /own subject only/,
    ],
    [
      'lets plugins share the common parts of their area',
      { 'library/packages/apk/module.ts': "import { x } from '../common/declare.ts'" },
      undefined,
    ],
    [
      'refuses a loader that always loads one',
      { 'loader/a.ts': "import { x } from '../library/files/file/state.ts'" },
      /loader only/,
    ],
    ['refuses an undeclared room', { 'misc/a.ts': '' }, /no declared room/],
    ['refuses code from outside src', { 'data/a.ts': "import { x } from '../../test/x.ts'" }, /outside src/],
  ])('%s', (_name, files, problem) => {
    const problems = check(files)
    if (problem === undefined) expect(problems).toEqual([])
    else expect(problems.join('\n')).toMatch(problem)
  })

  test('refuses files that import each other', () => {
    expect(check({ 'data/a.ts': "import { b } from './b.ts'", 'data/b.ts': "import { a } from './a.ts'" })).toEqual([
      'cycle: src/data/a.ts → src/data/b.ts → src/data/a.ts',
    ])
  })

  test('refuses files that depend on each other through a type', () => {
    const files = { 'data/a.ts': "import { b } from './b.ts'", 'data/b.ts': "import type { A } from './a.ts'" }
    expect(check(files)).toEqual(['cycle: src/data/a.ts → src/data/b.ts → src/data/a.ts'])
  })

  test('lets a file load another later that imports it', () => {
    const files = { 'data/a.ts': "const b = () => import('./b.ts')", 'data/b.ts': "import { a } from './a.ts'" }
    expect(check(files)).toEqual([])
  })
})

describe('the cycle finder', () => {
  test('finds a long cycle and ignores a diamond', () => {
    const cycle = new Map([['a', ['b']], ['b', ['c']], ['c', ['a']]]) // biome-ignore format: a graph
    expect(findCycles(cycle)).toEqual([['a', 'b', 'c', 'a']])
    const diamond = new Map([['a', ['b', 'c']], ['b', ['d']], ['c', ['d']], ['d', []]]) // biome-ignore format: a graph
    expect(findCycles(diamond)).toEqual([])
  })
})

describe('reading imports', () => {
  test.each([
    "import { a } from './x.ts'",
    "import type { A } from './x.ts'",
    "import {\n  type A,\n  b,\n} from './x.ts'",
    "import a from './x.ts'",
    "import './x.ts'",
    "export * from './x.ts'",
    "export type { A } from './x.ts'",
  ])('%j', (text) => {
    expect(importsOf(text)).toEqual([{ specifier: './x.ts', lazy: false }])
  })
})

describe('plugins', () => {
  test('have a machine to try them on in their tests, and only there', () => {
    const text = "import { MemoryHost } from '../../../host/mod.ts'"
    expect(checkImports([{ path: 'src/library/files/file/module.test.ts', text }])).toEqual([])
    expect(checkImports([{ path: 'src/library/files/file/module.ts', text }])).toHaveLength(1)
  })
})
