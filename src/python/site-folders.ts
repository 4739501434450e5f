// The folders from which an interpreter imports installed packages, found without starting it: a virtual environment,
// the folders of Debian, the user's own folder, PYTHONPATH, path files (`*.pth`) and the folder of salt-pip.
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isAnyError, recover } from '../base/mod.ts'
import { absoluteFolders, interpreter } from './interpreter.ts'

/** Path files are short; a longer file is something else. */
const MOST_BYTES = 64 << 10

export interface PythonInstallation {
  /** The program. */
  readonly program: string
  /** Such as `3.11`; undefined if neither the program nor its folders contain it. */
  readonly version: string | undefined
  /** The folder of the virtual environment that the program belongs to. */
  readonly venv: string | undefined
  /** The folder of salt-pip, which may not exist; a virtual environment has none. */
  readonly extras: string | undefined
  /** Folders of installed packages in search order. Some of these may not exist. */
  readonly folders: readonly string[]
}

interface Prefix {
  folder: string
  /** Whether the program belongs to a virtual environment. */
  settings: ReadonlyMap<string, string> | undefined
}

export function isFolder(path: string): boolean {
  // an inaccessible folder, such as in the home of another user, is not part of the search path
  return recover(isAnyError, false, () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)
}

/** A short text file; an empty text when it is missing, too long or not readable. */
export function shortText(path: string, most: number = MOST_BYTES): string {
  // a file that this user may not read is not part of the search
  return recover(isAnyError, '', () => {
    const facts = statSync(path, { throwIfNoEntry: false })
    return facts?.isFile() && facts.size <= most ? readFileSync(path, 'utf8') : ''
  })
}

export function siteNames(folder: string): string[] {
  // a folder that is missing or unreadable holds nothing for this user
  return recover(isAnyError, [], () => readdirSync(folder).sort())
}

/** The settings of a virtual environment (`pyvenv.cfg`). */
function venvSettings(folder: string): ReadonlyMap<string, string> | undefined {
  const text = shortText(join(folder, 'pyvenv.cfg'))
  if (text === '') return undefined
  const pairs = text.split('\n').map((line) => /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line))
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1]!.toLowerCase(), pair[2]!] as const] : [])))
}

const prefixOf = (program: string): Prefix => {
  const folder = dirname(dirname(program))
  return { folder, settings: venvSettings(folder) }
}

/** The program behind links: the name of the last one often has the version. */
function resolved(program: string): string {
  // a program that is missing is reported when it is started
  return recover(isAnyError, program, () => realpathSync(program))
}

function versionOf(program: string, { folder, settings }: Prefix): string | undefined {
  const stated = /^3\.\d+/.exec(settings?.get('version') ?? settings?.get('version_info') ?? '')
  const named = /^(?:python|pypy)(3\.\d+)/.exec(basename(resolved(program)))
  if (stated ?? named) return stated?.[0] ?? named![1]
  const installed = siteNames(join(folder, 'lib')).filter((name) => /^python3\.\d+$/.test(name))
  return installed.length === 1 ? installed[0]!.slice('python'.length) : undefined
}

/** Return the folders of a prefix such as `/usr`, those of Debian included. */
function foldersOfPrefix(folder: string, version: string): string[] {
  const own = `python${version}`
  if (folder !== '/usr') return [join(folder, 'lib', own, 'site-packages'), join(folder, 'lib64', own, 'site-packages')]
  return [
    join('/usr/local/lib', own, 'dist-packages'),
    '/usr/lib/python3/dist-packages',
    join('/usr/local/lib', own, 'site-packages'),
    join('/usr/lib', own, 'site-packages'),
    join('/usr/lib64', own, 'site-packages'),
  ]
}

/** The folders that the path files of a folder name. */
export function namedByPathFiles(folder: string): string[] {
  const files = siteNames(folder).filter((name) => name.endsWith('.pth'))
  return files.flatMap((file) =>
    shortText(join(folder, file))
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#') && !/^import\s/.test(line))
      .map((line) => (isAbsolute(line) ? line : join(folder, line))),
  )
}

function installedIn({ folder, settings }: Prefix, version: string, env: NodeJS.ProcessEnv): string[] {
  const own = foldersOfPrefix(folder, version)
  if (!settings) return [...userFolder(version, env), ...own]
  if (settings.get('include-system-site-packages')?.toLowerCase() !== 'true') return own
  const home = settings.get('home')
  const base = home === undefined ? [] : foldersOfPrefix(dirname(home) === '/' ? '/usr' : dirname(home), version)
  return [...own, ...userFolder(version, env), ...base]
}

const userFolder = (version: string, env: NodeJS.ProcessEnv): string[] =>
  env['PYTHONNOUSERSITE'] ? [] : [join(homedir(), '.local/lib', `python${version}`, 'site-packages')]

/** Return the facts about the interpreter of this name; `extras` is the folder above the one of salt-pip. */
export function pythonInstallation(
  python: string,
  extras: string,
  env: NodeJS.ProcessEnv = process.env,
): PythonInstallation {
  const program = interpreter(python, env)
  // `/bin` is a link to `/usr/bin` on most systems
  const prefix = program.startsWith('/bin/') ? prefixOf(`/usr${program}`) : prefixOf(program)
  const version = versionOf(program, prefix)
  const venv = prefix.settings && prefix.folder
  const installed = version === undefined ? [] : installedIn(prefix, version, env)
  const own = version === undefined || venv !== undefined ? undefined : join(extras, `extras-${version}`)
  const folders = [...absoluteFolders(env['PYTHONPATH']), ...(own === undefined ? [] : [own]), ...installed]
  return { program, version, venv, extras: own, folders: [...new Set(folders)] }
}
