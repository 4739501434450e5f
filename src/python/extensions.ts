// Salt extensions: installed Python packages with entry points of the group `salt.loader`. They are found by their
// files, so that no Python starts without extensions. An entry point that names a package means the folders of that
// package. A function that an entry point names is called in a separate process.
import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, fnmatch, str } from '../data/mod.ts'
import { askedFolders } from './asked-folders.ts'
import {
  isFolder,
  namedByPathFiles,
  type PythonInstallation,
  pythonInstallation,
  shortText,
  siteNames,
} from './site-folders.ts'

/** An installed package that extends Salt. */
export interface Extension {
  /** The name of the distribution, such as `saltext.vault`. */
  readonly name: string
  readonly version: string
  /** The package that its entry point names. */
  readonly package: string
  /** Folders by kind (`modules`, `states`, …), in the order of the search. */
  readonly folders: ReadonlyMap<string, readonly string[]>
}

/** Bounds against broken or hostile installations: larger files and further entries are not read. */
const MOST_BYTES = 256 << 10
const MOST_ENTRIES = 1000

interface EntryPoint {
  name: string
  module: string
  attr: string | undefined
}

interface Found {
  stamp: string
  extensions: readonly Extension[]
  /** Problems to log as soon as there is a log. */
  problems: string[]
}

const installations = new Map<string, PythonInstallation>()
const found = new Map<string, Found>()

/** Return the interpreter in the options; its data does not change while a program runs. */
export function installationOf(opts: Dict): PythonInstallation {
  const [python, extras] = [option(opts, 'python_executable') || 'python3', option(opts, 'python_extras')]
  const key = [python, extras, process.env['PYTHONPATH'], process.env['PATH']].join('\0')
  const known = installations.get(key) ?? pythonInstallation(python, extras)
  installations.set(key, known)
  return known
}

const stampOf = (folder: string): string =>
  isFolder(folder) ? String(statSync(folder, { throwIfNoEntry: false })?.mtimeMs) : ''

/** Return the installed extensions that are not disabled. A repeated call only reads the times of a few folders. */
export function installedExtensions(opts: Dict, log?: Log): readonly Extension[] {
  const installation = installationOf(opts)
  const key = `${installation.program}\0${installation.folders.join('\0')}`
  const stamp = installation.folders.map(stampOf).join(' ')
  let known = found.get(key)
  if (known?.stamp !== stamp) {
    const problems: string[] = []
    known = { stamp, extensions: extensionsIn(installation, problems), problems }
    found.set(key, known)
  }
  if (log) for (const problem of known.problems.splice(0)) log('error', problem)
  const disabled = option(opts, 'disable_extensions').map((pattern) => normal(str(pattern)))
  if (disabled.length === 0) return known.extensions
  return known.extensions.filter(({ name }) => !disabled.some((pattern) => fnmatch(normal(name), pattern)))
}

/** Normalize a distribution name: case and `-`, `_` and `.` do not matter. */
const normal = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

function extensionsIn(installation: PythonInstallation, problems: string[]): Extension[] {
  const folders = installation.folders.filter(isFolder)
  const named = folders.flatMap(namedByPathFiles).filter(isFolder)
  // `lib64` is a link to `lib` in virtual environments
  const all = [...new Set([...folders, ...named].map((folder) => realpathSync(folder)))]
  const extensions = new Map<string, Extension>()
  for (const folder of all) {
    for (const name of siteNames(folder)) {
      if (extensions.size >= MOST_ENTRIES) return [...extensions.values()]
      if (!name.endsWith('.dist-info') && !name.endsWith('.egg-info')) continue
      const points = entryPoints(shortText(join(folder, name, 'entry_points.txt'), MOST_BYTES))
      if (points.length === 0) continue
      const { name: own, version } = distribution(join(folder, name), name)
      // of one distribution that is installed twice, Python sees the first
      if (extensions.has(normal(own))) continue
      const kinds = kindsOf(points, all, { installation, problems, what: `${own} ${version}` })
      extensions.set(normal(own), { name: own, version, package: points[0]!.module, folders: kinds })
    }
  }
  return [...extensions.values()].sort((a, b) => (normal(a.name) < normal(b.name) ? -1 : 1))
}

/** The entries of the group `salt.loader` in the text of a distribution. */
export function entryPoints(text: string): EntryPoint[] {
  if (!text.includes('salt.loader')) return []
  const points: EntryPoint[] = []
  let isOurs = false
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line.startsWith('[')) isOurs = line === '[salt.loader]'
    const point = isOurs && /^([^#=]+?)\s*=\s*([\w.]+)\s*(?::\s*([\w.]+))?\s*(?:\[[^\]]*\])?$/.exec(line)
    if (point && points.length < MOST_ENTRIES) points.push({ name: point[1]!, module: point[2]!, attr: point[3] })
  }
  return points
}

function distribution(folder: string, base: string): { name: string; version: string } {
  const head = (
    shortText(join(folder, 'METADATA'), 4 * MOST_BYTES) || shortText(join(folder, 'PKG-INFO'), 4 * MOST_BYTES)
  ).split(/\r?\n\r?\n/, 1)[0]!
  const field = (name: string): string | undefined => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(head)?.[1]
  const [name = base, version = ''] = base.replace(/\.(dist|egg)-info$/, '').split('-')
  return { name: field('Name') ?? name, version: field('Version') ?? version }
}

interface Asking {
  installation: PythonInstallation
  problems: string[]
  what: string
}

function kindsOf(points: readonly EntryPoint[], sites: readonly string[], asking: Asking): Map<string, string[]> {
  const kinds = new Map<string, string[]>()
  for (const point of points) {
    for (const [kind, folders] of foldersOf(point, sites, asking)) {
      kinds.set(kind, [...new Set([...(kinds.get(kind) ?? []), ...folders])])
    }
  }
  return kinds
}

function foldersOf(point: EntryPoint, sites: readonly string[], asking: Asking): ReadonlyMap<string, string[]> {
  const { name, module, attr } = point
  const packages = sites.map((site) => join(site, ...module.split('.'))).filter(isFolder)
  if (attr === undefined && packages.length > 0) return packageFolders(packages)
  const answer = askedFolders(asking.installation, { name, module, attr: attr ?? '' })
  if (typeof answer !== 'string') return answer
  asking.problems.push(`Salt extension ${asking.what} cannot be loaded: ${answer}`)
  return new Map()
}

/** The folders inside of a package by name. */
function packageFolders(packages: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>()
  for (const folder of packages) {
    for (const kind of siteNames(folder)) {
      if (/^[a-z]\w*$/.test(kind) && isFolder(join(folder, kind))) {
        kinds.set(kind, [...(kinds.get(kind) ?? []), join(folder, kind)])
      }
    }
  }
  return kinds
}
