// Packages for Debian and its relatives, by dpkg-deb.
import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../command.ts'
import { layOut, type Making } from './layout.ts'
import { freshFolder } from './programs.ts'
import { type PackageName, RELATIONS } from './relations.ts'
import { scriptsOf } from './scripts.ts'

/** The compression of dpkg-deb; the quick one is for tests. */
export type Compression = 'small' | 'quick'

const COMPRESSION: Readonly<Record<Compression, string[]>> = { small: ['-Zxz'], quick: ['-Zgzip', '-z1'] }

/** Make a package in `out` and return its file. Packages without native files are for all architectures. */
export async function makeDeb(
  name: PackageName,
  making: Making,
  work: string,
  out: string,
  compression: Compression,
): Promise<string> {
  const { root, release } = making
  const folder = freshFolder(join(work, name))
  chmodSync(folder, 0o755)
  await layOut(name, making, folder)
  const control = join(folder, 'DEBIAN')
  const sums = checksums(folder)
  const size = installedSize(folder)
  mkdirSync(control, { mode: 0o755 })
  writeFileSync(join(control, 'control'), controlOf(name, making, size))
  writeFileSync(join(control, 'md5sums'), sums)
  for (const [moment, text] of scriptsOf(root, 'deb', name)) {
    writeFileSync(join(control, moment), text)
    chmodSync(join(control, moment), 0o755)
  }
  const file = join(out, `${name}_${release.version}-${release.revision}_${architectureOf(name, making)}.deb`)
  const words = ['--root-owner-group', ...COMPRESSION[compression], '--build', folder, file]
  const { code, output } = await runCommand(root, 'dpkg-deb', words, { SOURCE_DATE_EPOCH: String(release.date) })
  if (code !== 0) throw new Error(`dpkg-deb exited with ${code}: ${output.trim()}`)
  return file
}

const architectureOf = (name: PackageName, { architecture }: Making): string =>
  name === 'brine' ? architecture : 'all'

function controlOf(name: PackageName, making: Making, size: number): string {
  const { summary, description, standsFor, conflicts, replaces, needs, depends, recommends, suggests } = RELATIONS[name]
  const { version, revision, maintainer } = making.release
  const own = needs.map((each) => `${each} (= ${version}-${revision})`)
  const fields: Array<[string, string | string[]]> = [
    ['Package', name],
    ['Source', name === 'brine' ? [] : 'brine'],
    ['Version', `${version}-${revision}`],
    ['Architecture', architectureOf(name, making)],
    ['Maintainer', maintainer],
    ['Installed-Size', String(size)],
    ['Depends', [...own, ...depends]],
    ['Recommends', recommends],
    ['Suggests', suggests],
    ['Provides', standsFor],
    ['Conflicts', conflicts],
    ['Replaces', replaces],
    ['Section', 'admin'],
    ['Priority', 'optional'],
    ['Description', [summary, ...description].join('\n ')],
  ]
  return fields
    .filter(([, value]) => value.length > 0)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : value.join(', ')}\n`)
    .join('')
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
}

function checksums(folder: string): string {
  const lines = files(folder)
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(folder, path)))
          .digest('hex')}  ${path}\n`,
    )
  return lines.join('')
}

/** In kibibytes: each file rounded up, and one for anything else, as dpkg-gencontrol counts. */
function installedSize(folder: string): number {
  return files(folder).reduce((sum, path) => {
    const stat = lstatSync(join(folder, path))
    return sum + (stat.isFile() ? Math.ceil(stat.size / 1024) : 1)
  }, 0)
}
