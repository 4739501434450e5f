// All packages of one architecture: the programs are built once, and each format is made of them.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Compression, makeDeb } from './deb.ts'
import type { Format, Making } from './layout.ts'
import { buildPrograms } from './programs.ts'
import { PACKAGES } from './relations.ts'
import { makeRpms } from './rpm.ts'
import { type Architecture, releaseOf } from './target.ts'

export interface Wanted {
  architecture: Architecture
  formats: readonly Format[]
  /** Numbers of packagings, each of which gives all packages. */
  revisions: readonly string[]
  compression: Compression
  out: string
  say(text: string): void
}

/** Make packages in `out` and return their files. */
export async function makePackages(root: string, wanted: Wanted): Promise<string[]> {
  const { architecture, formats, revisions, compression, out, say } = wanted
  const work = mkdtempSync(join(tmpdir(), 'brine-package-'))
  const made: string[] = []
  try {
    say(`Building the programs for ${architecture}`)
    const built = await buildPrograms(root, architecture, work)
    for (const note of built.notes) say(`Note: ${note}`)
    for (const format of formats) {
      for (const revision of revisions) {
        say(`Packing ${format} packages for ${architecture}`)
        const making: Making = { root, format, architecture, built, release: releaseOf(root, revision) }
        if (format === 'rpm') made.push(...(await makeRpms(making, work, out, compression)))
        else for (const name of PACKAGES) made.push(await makeDeb(name, making, work, out, compression))
      }
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return made
}
