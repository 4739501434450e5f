// The Debian packages of Brine on this machine: the installed ones, the offered files, and the installed ones as files
// again for a rollback.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { PRIVATE_FOLDER, shownText } from '../base/mod.ts'
import { UpkeepError } from './errors.ts'
import { runTool } from './programs.ts'

/** The packages of `npm run package`; each requires the others in its own version. */
const NAMES: readonly string[] = ['brine', 'brine-master', 'brine-minion', 'brine-api', 'brine-syndic']

/** Files of a package that the administrator's settings of dpkg may leave out. */
const DOCUMENTS = '/usr/share/'

const PATIENCE_MS = 600_000

/** A package in a file. */
export interface Deb {
  name: string
  version: string
  architecture: string
  /** Its installed size, in bytes. */
  size: number
}

/** The format of a line with these fields. */
const fields = (...names: string[]): string => `${names.map((name) => `\${${name}}`).join(' ')}\n`

/** Run a program of dpkg; return its output. */
async function dpkg(program: string, words: readonly string[]): Promise<string> {
  const ended = await runTool(program, words, { milliseconds: PATIENCE_MS, env: { LC_ALL: 'C' } })
  if (ended?.code === 0) return ended.stdout
  const said = ended ? `exits with ${ended.code}: ${shownText(ended.stderr.trim(), 500)}` : 'is not installed'
  throw new UpkeepError('ProgramFailed', `${program} ${said}`)
}

/** Return the versions of Brine's packages that are installed, by name. */
export async function installedDebs(): Promise<Map<string, string>> {
  const words = ['--show', `--showformat=${fields('Package', 'db:Status-Status', 'Version')}`, 'brine*']
  const ended = await runTool('dpkg-query', words, { milliseconds: PATIENCE_MS, env: { LC_ALL: 'C' } })
  const rows = (ended?.stdout ?? '').split('\n').map((line) => line.split(' '))
  return new Map(
    rows.flatMap(([name = '', status, version = '']) =>
      status === 'installed' && NAMES.includes(name) ? [[name, version] as const] : [],
    ),
  )
}

export const machineArchitecture = async (): Promise<string> => (await dpkg('dpkg', ['--print-architecture'])).trim()

/** Read the fields of a package in a file; errors call it `label`. */
export async function readDeb(file: string, label: string): Promise<Deb> {
  const bad = (reason: string, cause?: unknown): never => {
    throw new UpkeepError('BadPackage', `${label} is no Debian package of Brine: ${reason}`, { cause })
  }
  const format = fields('Package', 'Version', 'Architecture', 'Installed-Size')
  const text = await dpkg('dpkg-deb', ['--show', `--showformat=${format}`, file]).catch((error: unknown) =>
    bad(String((error as Error).message), error),
  )
  const [name = '', version = '', architecture = '', size = ''] = text.trim().split(' ')
  if (!NAMES.includes(name)) return bad(`it is the package ${shownText(name, 100)}`)
  if (!/^[0-9][A-Za-z0-9.+~:-]{0,80}$/.test(version)) return bad('its version cannot be read')
  return { name, version, architecture, size: Number(size || 0) * 1024 }
}

/** Put the installed packages into a directory as files: those that an earlier upgrade kept, or else rebuilt ones. */
export async function keepInstalled(
  installed: ReadonlyMap<string, string>,
  kept: string,
  folder: string,
): Promise<void> {
  mkdirSync(folder, { mode: PRIVATE_FOLDER })
  const files = await filesOf(kept)
  for (const [name, version] of installed) {
    const file = files.get(`${name} ${version}`)
    if (file === undefined) await repack(name, folder)
    else copyFileSync(file, join(folder, basename(file)))
  }
}

/** The packages in a directory by name and version. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = join(folder, name)
    const deb = await readDeb(file, file).catch(() => undefined)
    if (deb) found.set(`${deb.name} ${deb.version}`, file)
  }
  return found
}

/** Rebuild the file of an installed package from its installed files and scripts. */
async function repack(name: string, folder: string): Promise<void> {
  const tree = join(folder, `.${name}`)
  const control = join(tree, 'DEBIAN')
  try {
    mkdirSync(control, { recursive: true })
    chmodSync(tree, 0o755)
    chmodSync(control, 0o755)
    writeFileSync(join(control, 'control'), controlFields(await dpkg('dpkg-query', ['--status', name])))
    const scripts = (await dpkg('dpkg-query', ['--control-path', name])).split('\n').filter((path) => path !== '')
    for (const path of scripts) {
      const place = join(control, path.slice(path.lastIndexOf('.') + 1))
      copyFileSync(path, place)
      chmodSync(place, lstatSync(path).mode & 0o755)
    }
    const paths = (await dpkg('dpkg-query', ['--listfiles', name])).split('\n')
    for (const path of paths) if (path.startsWith('/') && path !== '/.') addFile(tree, path, name)
    await dpkg('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, join(folder, `${name}.deb`)])
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

/** The fields of an installed package that its file has too. */
const controlFields = (status: string): string =>
  status
    .replace(/^(?:Status|Conffiles|Config-Version):.*\n(?: .*\n)*/gm, '')
    .trimEnd()
    .concat('\n')

function addFile(tree: string, path: string, name: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  // a directory of the package may be a link of the system, as /lib is
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  const stat = isFolder ? statSync(path) : found
  if (!stat) {
    if (path.startsWith(DOCUMENTS)) return
    throw new UpkeepError('UpgradeRefused', `${path} of the installed package ${name} is missing`, {
      hint: `Install the package again: apt-get install --reinstall ${name}`,
    })
  }
  const place = join(tree, path)
  mkdirSync(dirname(place), { recursive: true, mode: 0o755 })
  if (stat.isDirectory()) mkdirSync(place, { recursive: true, mode: stat.mode & 0o777 })
  else if (stat.isSymbolicLink()) symlinkSync(readlinkSync(path), place)
  else linkOrCopy(path, place)
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    // another file system
    copyFileSync(from, to)
    chmodSync(to, lstatSync(from).mode & 0o777)
  }
}
