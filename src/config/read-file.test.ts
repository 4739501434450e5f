import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownUser } from '../base/mod.ts'
import { isRegularFile } from './read-file.ts'

/** A user that the system has no name for, as in some containers. */
const NAMELESS = 54_321

function asNameless<T>(look: () => T): T {
  process.seteuid!(NAMELESS)
  try {
    return look()
  } finally {
    process.seteuid!(0)
  }
}

describe.skipIf(process.getuid?.() !== 0)('a user without a name', () => {
  it('goes by the number', () => {
    expect(asNameless(ownUser)).toBe(String(NAMELESS))
    expect(ownUser()).toBe('root')
  })

  it('finds no file where it may not enter', () => {
    const home = mkdtempSync(join(tmpdir(), 'brine-home-'))
    const file = join(home, 'Saltfile')
    writeFileSync(file, '')
    try {
      expect(isRegularFile(file)).toBe(true)
      expect(asNameless(() => isRegularFile(file))).toBe(false)
    } finally {
      rmSync(home, { recursive: true })
    }
  })
})
