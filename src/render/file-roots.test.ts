import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Dict, Value } from '../data/mod.ts'
import { FileRoots } from './file-roots.ts'

let root: string
let trees: FileRoots

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'brine-roots-'))
  for (const [path, text] of Object.entries({
    'one/a.sls': 'first',
    'two/a.sls': 'second',
    'two/sub/b.sls': 'b',
    'dev/a.sls': 'dev',
    'outside.txt': 'secret',
    'two/bad.sls': Buffer.from([0xff]),
  })) {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const roots: Dict = new Map<Value, Value>([
    ['base', [join(root, 'one'), join(root, 'two')]],
    ['__env__', [join(root, '__env__')]],
  ])
  trees = new FileRoots(roots)
})

afterAll(() => rm(root, { recursive: true }))

describe('file roots', () => {
  test.each<[string, string, string | undefined]>([
    ['a.sls', 'base', 'first'],
    ['sub/b.sls', 'base', 'b'],
    ['sub/../a.sls', 'base', undefined],
    ['a.sls', 'dev', 'dev'],
    ['nope.sls', 'base', undefined],
    ['sub', 'base', undefined],
    ['../outside.txt', 'base', undefined],
    ['sub/../../outside.txt', 'base', undefined],
    ['/etc/hostname', 'base', undefined],
  ])('read %s of %s', async (path, saltenv, wanted) => {
    expect((await trees.read(path, saltenv))?.text).toBe(wanted)
  })

  test('tell where a file is', async () => {
    expect((await trees.read('sub/b.sls', 'base'))?.file).toBe(join(root, 'two/sub/b.sls'))
  })

  test('refuse a file that is no UTF-8', async () => {
    await expect(trees.read('bad.sls', 'base')).rejects.toThrow("'utf-8' codec can't decode byte 0xff")
  })

  test('of nothing hold nothing', async () => {
    expect(await new FileRoots(null).read('a.sls', 'base')).toBeUndefined()
  })
})
