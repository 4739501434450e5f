// Offers a package in other versions than Debian has, for states that ask for one: the same files, with another version
// in their control fields and without relations to Debian's, which the others could not satisfy.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './command.ts'

export interface Relabelled {
  name: string
  versions: string[]
}

/** Puts `name` in the given versions in the place of Debian's. */
export async function relabel(folder: string, { name, versions }: Relabelled): Promise<void> {
  const file = readdirSync(folder).find((entry) => entry.startsWith(`${name}_`))
  if (file === undefined) throw new Error(`${name} is not among the packages`)
  const architecture = /_([^_]+)\.deb$/.exec(file)![1]!
  const scratch = mkdtempSync(join(tmpdir(), 'brine-lab-relabel-'))
  try {
    await run(['dpkg-deb', '--raw-extract', join(folder, file), scratch])
    rmSync(join(folder, file))
    const path = join(scratch, 'DEBIAN', 'control')
    const control = readFileSync(path, 'utf8')
    chmodSync(scratch, 0o755)
    for (const version of versions) {
      writeFileSync(path, withVersion(control, version))
      await run(['dpkg-deb', '-Zgzip', '--build', scratch, join(folder, `${name}_${version}_${architecture}.deb`)])
    }
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** The control fields with another version, depending on any version of what is versioned alike and breaking nothing. */
export function withVersion(control: string, version: string): string {
  const old = /^Version: (.+)$/m.exec(control)?.[1]
  if (old === undefined) throw new Error('a control file without a version')
  const upstream = old.replace(/-[^-]*$/, '').replaceAll(/[.+]/g, '\\$&')
  return control
    .replace(/^Version: .+$/m, `Version: ${version}`)
    .replace(/^(Breaks|Replaces): .+\n/gm, '')
    .replace(/^Depends: .+$/m, (line) => line.replaceAll(new RegExp(` \\([<>=]+ ${upstream}[^)]*\\)`, 'g'), ''))
}
