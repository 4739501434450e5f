import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { SessionKeys } from './session-keys.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-sessions-'))
afterAll(() => rmSync(directory, { recursive: true }))

describe('SessionKeys', () => {
  it('hands out the same key until it is too old, also after a restart', () => {
    let now = Date.now()
    const open = () => new SessionKeys({ directory, lifetime: 60, now: () => now })
    const first = open().issue('m1').keyString
    expect(statSync(join(directory, 'm1')).mode & 0o777).toBe(0o600)
    now += 59_000
    const again = open()
    expect(again.issue('m1').keyString).toBe(first)
    expect(again.find('m1')?.keyString).toBe(first)
    now += 2000
    expect(again.find('m1')).toBeUndefined()
    expect(again.issue('m1').keyString).not.toBe(first)
  })

  it('makes no key for who only claims to have one', () => {
    const keys = new SessionKeys({ directory })
    expect(keys.find('stranger')).toBeUndefined()
    expect(() => statSync(join(directory, 'stranger'))).toThrow('ENOENT')
  })

  it('takes a damaged file for none', () => {
    writeFileSync(join(directory, 'broken'), 'half a k')
    const keys = new SessionKeys({ directory })
    expect(keys.find('broken')).toBeUndefined()
    expect(keys.issue('broken').keyString).toHaveLength(76)
  })
})
