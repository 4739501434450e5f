import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RsaPublicKey } from '../crypto/mod.ts'
import { trialKeys } from '../trial.ts'
import { PublicationRecord } from './publication-record.ts'

let cachedir: string
let master: RsaPublicKey
let other: RsaPublicKey
const lines: string[] = []
const open = (id = 'm1'): PublicationRecord =>
  new PublicationRecord({ cachedir, id }, (level, text) => void lines.push(`${level}: ${text}`))
const files = (): string[] =>
  readdirSync(join(cachedir, 'publications')).map((name) => join(cachedir, 'publications', name))

beforeEach(async () => {
  cachedir = mkdtempSync(join(tmpdir(), 'brine-record-'))
  const keys = await trialKeys()
  master = keys[0]!.publicKey
  other = keys[1]!.publicKey
  lines.splice(0)
})
afterEach(() => rmSync(cachedir, { recursive: true }))

describe('the record of publications', () => {
  it('outlives a restart, for each master and publish key, and is for its owner alone', () => {
    open().note(master, 'k1', 7, true)
    open().note(other, 'k1', 3, false)
    const again = open()
    expect(again.lastSerial(master, 'k1')).toBe(7)
    expect(again.lastSerial(master, 'k2')).toBe(0)
    expect(again.lastSerial(other, 'k1')).toBe(3)
    // minions that share a directory each run a job
    expect(open('m2').lastSerial(master, 'k1')).toBe(0)
    expect([again.signs(master), again.signs(other)]).toEqual([true, false])
    expect(files().map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
    expect(statSync(join(cachedir, 'publications')).mode & 0o777).toBe(0o700)
  })

  it('keeps what the channels to two masters with one key write in turn', () => {
    const [one, two] = [open(), open()]
    for (const serial of [1, 2]) {
      one.note(master, 'k1', serial, false)
      two.note(master, 'k2', 10 + serial, false)
    }
    expect([open().lastSerial(master, 'k1'), open().lastSerial(master, 'k2')]).toEqual([2, 12])
  })

  it('does not grow with each new publish key', () => {
    for (let n = 0; n < 100; n++) open().note(master, `k${n}`, 1, false)
    expect(open().lastSerial(master, 'k99')).toBe(1)
    expect(open().lastSerial(master, 'k0')).toBe(0)
    expect(statSync(files()[0]!).size).toBeLessThan(1000)
  })

  it.each(['', '{', '[]', '{"serials": 5}', '{"serials": [5]}', '{"signs": "yes", "serials": [["k1", "x"]]}'])(
    'begins anew when its file holds %j',
    (text) => {
      open().note(master, 'k1', 7, true)
      writeFileSync(files()[0]!, text)
      expect(open().lastSerial(master, 'k1')).toBe(0)
      expect(open().signs(master)).toBe(false)
      open().note(master, 'k1', 8, true)
      expect(open().lastSerial(master, 'k1')).toBe(8)
    },
  )

  it('goes on in memory, and says so, when the file cannot be written', () => {
    writeFileSync(join(cachedir, 'publications'), 'not a directory')
    const record = open()
    record.note(master, 'k1', 7, true)
    expect([record.lastSerial(master, 'k1'), record.signs(master)]).toEqual([7, true])
    expect(lines.join()).toContain('error: Cannot keep the serial number of a publication')
  })
})
