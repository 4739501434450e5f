import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { masterConfig, minionConfig } from '../config/mod.ts'
import { toPlain } from '../data/mod.ts'
import { fetchSdb } from './fetch-sdb.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-sdb-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each([
  ['minion', minionConfig],
  ['master', masterConfig],
])('A %s has the values that its options name elsewhere', async (role, read) => {
  writeFileSync(join(folder, 'a.yaml'), 'top: hello\na: {b: 1}\n')
  const options = {
    root_dir: folder,
    id: 'web1',
    y: { driver: 'yaml', files: [join(folder, 'a.yaml')] },
    direct: 'sdb://y/top',
    nested: { list: ['sdb://y/a:b', 'sdb://none/x', 'sdb://other/x'] },
    other: { driver: 'of-my-own' },
  }
  writeFileSync(join(folder, role), JSON.stringify(options))
  const opts = await read({ path: join(folder, role), fetchSdb })
  expect(opts.get('direct')).toBe('hello')
  expect(toPlain(opts.get('nested')!)).toEqual({ list: [1, 'sdb://none/x', 'sdb://other/x'] })
})
