import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findSources, placeOf } from './sources.ts'

const folder = mkdtempSync(join(tmpdir(), 'brine-cp-'))
afterAll(() => rmSync(folder, { recursive: true }))

test.each<[path: string, given: string[], isDirectory: boolean, place: string]>([
  ['a.conf', ['a.conf'], false, '/dest'],
  ['etc/a.conf', ['etc/a.conf', 'b'], true, '/dest/a.conf'],
  ['etc/app/a.conf', ['etc'], true, '/dest/etc/app/a.conf'],
  ['etc/app/a.conf', ['etc/'], true, '/dest/app/a.conf'],
  ['/srv/etc/a', ['/srv/other', '/srv/etc'], true, '/dest/etc/a'],
])('%s of %j goes to its place', (path, given, isDirectory, place) => {
  expect(placeOf(path, given, '/dest', isDirectory)).toBe(place)
})

test('Directories are copied recursively, with empty ones', () => {
  mkdirSync(join(folder, 'a/empty'), { recursive: true })
  writeFileSync(join(folder, 'a/run.sh'), '', { mode: 0o755 })
  writeFileSync(join(folder, 'b'), '', { mode: 0o600 })
  const { files, emptyDirectories } = findSources([join(folder, 'a'), join(folder, 'b')])
  expect([...files]).toEqual([
    [join(folder, 'a/run.sh'), 0o755],
    [join(folder, 'b'), 0o600],
  ])
  expect(emptyDirectories).toEqual([join(folder, 'a/empty')])
  expect(() => findSources([join(folder, 'none')])).toThrow(`${join(folder, 'none')} does not exist`)
})
