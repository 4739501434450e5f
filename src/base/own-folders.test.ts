import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Log } from './log.ts'
import { claimFolder, makeOwnFolder, PASSABLE_FOLDER, PRIVATE_FOLDER } from './own-folders.ts'

let root: string
let umask: number
let lines: string[]
const log: Log = (level, text) => lines.push(`${level}: ${text}`)
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-folders-'))
  umask = process.umask(0o022)
  lines = []
})
afterEach(() => {
  process.umask(umask)
  rmSync(root, { recursive: true })
})

test.each([0, 0o022, 0o077])(
  'a folder is made with its mode under the umask %o, and its parents can be passed',
  (mask) => {
    process.umask(mask)
    const path = join(root, 'var/cache/master')
    expect(makeOwnFolder(path, PASSABLE_FOLDER)).toBe(true)
    expect(modeOf(path)).toBe('711')
    expect(modeOf(join(root, 'var/cache'))).toBe((0o777 & ~mask).toString(8))
    chmodSync(path, 0o700)
    expect(makeOwnFolder(path, PASSABLE_FOLDER)).toBe(false)
    expect(modeOf(path)).toBe('700')
  },
)

test('a folder with too many permissions is closed with its content, and this is logged once', () => {
  const path = join(root, 'cache')
  mkdirSync(join(path, 'files'), { recursive: true })
  mkdirSync(join(path, 'jobs'))
  writeFileSync(join(path, 'note'), '')
  writeFileSync(join(root, 'elsewhere'), '')
  symlinkSync(join(root, 'elsewhere'), join(path, 'link'))
  for (let round = 0; round < 2; round++) claimFolder(path, PRIVATE_FOLDER, log, ['jobs'])
  expect(['', 'files', 'jobs', 'note', '../elsewhere'].map((name) => modeOf(join(path, name)))).toEqual([
    '700',
    '700',
    '755',
    '600',
    '644',
  ])
  expect(lines).toEqual([
    `info: Closed to other users of this machine: ${['', '/files', '/note'].map((name) => path + name).join(', ')}`,
  ])
})

test('a folder that other users share is unchanged', () => {
  const path = join(root, 'shared')
  mkdirSync(path)
  writeFileSync(join(path, 'note'), '')
  chmodSync(path, 0o1777)
  claimFolder(path, PRIVATE_FOLDER, log)
  expect([modeOf(path), modeOf(join(path, 'note'))]).toEqual(['1777', '644'])
})
