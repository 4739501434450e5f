import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { PkiKeys } from '../store/mod.ts'
import { authPolicy } from './auth-policy.ts'
import { Quotas } from './quotas.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-policy-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const policy = (options: Record<string, Value> = {}) =>
  authPolicy(
    new Map(Object.entries({ pki_dir: folder, ...options })),
    new PkiKeys(folder),
    new Quotas(new Map(), silentLog),
    silentLog,
  )

const put = (name: string, text: string, mode = 0o644): string => {
  const file = join(folder, name)
  writeFileSync(file, text, { mode })
  return file
}

test('A file in minions_autosign lets its minion in once, and not when it is old', () => {
  const stubs = join(folder, 'minions_autosign')
  mkdirSync(stubs)
  for (const id of ['web1', 'old']) writeFileSync(join(stubs, id), '')
  const hoursAgo = Date.now() / 1000 - 3 * 3600
  utimesSync(join(stubs, 'old'), hoursAgo, hoursAgo)
  const { autoSign } = policy()
  expect([autoSign!('web1', undefined), autoSign!('web1', undefined), autoSign!('old', undefined)]).toEqual([
    true,
    false,
    false,
  ])
  expect(existsSync(join(stubs, 'old'))).toBe(false)
  expect(autoSign!('../web2', undefined)).toBe(false)
})

test.each([
  ['web1', true],
  ['app7.example.com', true],
  ['db12', true],
  ['db', false],
])('A line of autosign_file means %s: %s', (id, expected) => {
  const autosign_file = put('autosign', '# ours\nweb1\n*.example.com\ndb[0-9]+\n')
  expect(policy({ autosign_file }).autoSign!(id, undefined)).toBe(expected)
})

test('A file that others may write to is not trusted', () => {
  const autosign_file = put('autosign', '*\n')
  expect(policy({ autosign_file }).autoSign!('web1', undefined)).toBe(true)
  chmodSync(autosign_file, 0o666)
  expect(policy({ autosign_file }).autoSign!('web1', undefined)).toBe(false)
})

test('A grain of the list lets its minion in', () => {
  mkdirSync(join(folder, 'grains'))
  writeFileSync(join(folder, 'grains/uuid'), '1234\n')
  const { autoSign } = policy({ autosign_grains_dir: join(folder, 'grains') })
  expect(autoSign!('web1', new Map([['uuid', '1234']]))).toBe(true)
  expect(autoSign!('web1', new Map([['uuid', '9']]))).toBe(false)
})
