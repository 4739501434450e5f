import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateKeyString } from '../crypto/mod.ts'
import { SessionKeys } from './session-keys.ts'

let cachedir: string
let file: string
beforeEach(() => {
  cachedir = mkdtempSync(join(tmpdir(), 'brine-sessions-'))
  file = join(cachedir, 'session_keys')
})
afterEach(() => rmSync(cachedir, { recursive: true }))

describe('SessionKeys', () => {
  it('hands out the same key until it is too old, also after a restart', () => {
    let now = Date.now()
    const open = () => new SessionKeys({ cachedir, lifetime: 60, now: () => now })
    const before = open()
    const first = before.issue('m1').keyString
    const other = before.issue('m2').keyString
    expect(statSync(file).mode & 0o777).toBe(0o600)
    now += 59_000
    const again = open()
    expect(again.issue('m1').keyString).toBe(first)
    expect(again.find('m2')?.keyString).toBe(other)
    now += 2000
    expect(again.find('m1')).toBeUndefined()
    const fresh = again.issue('m1').keyString
    expect(fresh).not.toBe(first)
    expect(open().find('m1')?.keyString).toBe(fresh)
  })

  it('creates no key for an unproven claim', () => {
    const keys = new SessionKeys({ cachedir })
    expect(keys.find('stranger')).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('takes what a crash left of a line for none', () => {
    const before = new SessionKeys({ cachedir })
    const key = before.issue('whole').keyString
    before.issue('cut')
    truncateSync(file, statSync(file).size - 3)
    const keys = new SessionKeys({ cachedir })
    expect(keys.find('whole')?.keyString).toBe(key)
    expect(keys.find('cut')).toBeUndefined()
    appendFileSync(file, 'nonsense\n')
    expect(new SessionKeys({ cachedir }).find('whole')?.keyString).toBe(key)
  })

  it('knows the keys that a master of Salt left', () => {
    const [key, folder] = [generateKeyString(), join(cachedir, 'sessions')]
    mkdirSync(folder)
    writeFileSync(join(folder, 'old'), key)
    writeFileSync(join(folder, 'broken'), 'half a k')
    const keys = new SessionKeys({ cachedir })
    expect(keys.find('old')?.keyString).toBe(key)
    expect(keys.find('broken')).toBeUndefined()
    expect(keys.issue('broken').keyString).toHaveLength(76)
  })
})
