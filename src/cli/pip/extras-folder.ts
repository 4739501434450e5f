// Moves newly installed packages into the folder of salt-pip. `pip install --target` skips an existing top-level
// folder, and all extensions share the folder `saltext`; so pip installs into an empty folder beside it, whose files
// are then moved.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const DIST_INFO = '.dist-info'

/** Make an empty folder on the same file system, for pip to install into. */
export function stagingFor(extras: string): string {
  mkdirSync(dirname(extras), { recursive: true })
  return mkdtempSync(`${extras}.new-`)
}

/** Move all packages of a staging folder to the folder of salt-pip, replacing other versions. */
export function adopt(staging: string, extras: string): void {
  mkdirSync(extras, { recursive: true })
  const arriving = new Set(distributionsIn(staging).map(nameOf))
  for (const distribution of distributionsIn(extras)) {
    if (arriving.has(nameOf(distribution))) removeDistribution(extras, distribution)
  }
  moveInto(staging, extras)
}

const distributionsIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith(DIST_INFO))

/** The name of a package as pip compares names: `saltext_vault-1.0.dist-info` is `saltext-vault`. */
const nameOf = (distribution: string): string =>
  distribution
    .slice(0, distribution.lastIndexOf('-', distribution.length - DIST_INFO.length))
    .toLowerCase()
    .replace(/[-_.]+/g, '-')

/** Remove the files of a distribution's list, if they are in the folder. */
function removeDistribution(extras: string, distribution: string): void {
  const record = join(extras, distribution, 'RECORD')
  const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : []
  for (const line of lines) {
    const path = normalize(pathIn(line))
    if (path === '.' || path.startsWith('..') || path.startsWith('/')) continue
    rmSync(join(extras, path), { force: true })
    removeEmptyFolders(extras, dirname(path))
  }
  rmSync(join(extras, distribution), { recursive: true, force: true })
}

/** The path in a line of RECORD, which is CSV: path, hash, size. */
const pathIn = (line: string): string =>
  line.startsWith('"') ? (/^"((?:[^"]|"")*)"/.exec(line)?.[1] ?? '').replaceAll('""', '"') : line.split(',', 1)[0]!

/** Remove a folder and its parents while they are empty or contain only Python's compiled files. */
function removeEmptyFolders(extras: string, path: string): void {
  for (let folder = path; folder !== '.'; folder = dirname(folder)) {
    const whole = join(extras, folder)
    if (!existsSync(whole)) continue
    if (readdirSync(whole).some((name) => name !== '__pycache__')) return
    rmSync(join(whole, '__pycache__'), { recursive: true, force: true })
    rmdirSync(whole)
  }
}

/** Move files, and merge folders that exist on both sides. */
function moveInto(source: string, target: string): void {
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory() && existsSync(to)) moveInto(from, to)
    else renameSync(from, to)
  }
}
