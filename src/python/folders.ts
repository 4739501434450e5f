// The folders of users' own modules: those synced from the file server (`extension_modules`), `module_dirs`, the
// folders that options name for one family, and installed Salt extensions.
import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { option } from '../config/mod.ts'
import { type Dict, isList, str, textOf } from '../data/mod.ts'
import { type Extension, installedExtensions } from './extensions.ts'

export type FamilyName =
  | 'auth'
  | 'beacons'
  | 'cache'
  | 'clouds'
  | 'engines'
  | 'executors'
  | 'fileserver'
  | 'grains'
  | 'log_handlers'
  | 'matchers'
  | 'modules'
  | 'netapi'
  | 'output'
  | 'pillar'
  | 'proxy'
  | 'queues'
  | 'renderers'
  | 'resources'
  | 'returners'
  | 'roster'
  | 'runners'
  | 'sdb'
  | 'serializers'
  | 'states'
  | 'thorium'
  | 'tokens'
  | 'tops'
  | 'utils'
  | 'wheel'
  | 'wrapper'

/** The option that names further folders, where it is not the family's name with `_dirs`. */
const OPTIONS: Partial<Record<FamilyName, string>> = {
  clouds: 'cloud_dirs',
  output: 'outputter_dirs',
  queues: 'queue_dirs',
  renderers: 'render_dirs',
  returners: 'returner_dirs',
  runners: 'runner_dirs',
}

export interface ModuleFile {
  /** Without its ending. */
  name: string
  path: string
  language: 'python' | 'native'
  /** The installed package that it is a part of. */
  extension?: Extension
  /** Whether it runs on this side, even for functions of a target. */
  isHere?: true
}

const NATIVE = new Set(['.ts', '.mts', '.js', '.mjs', '.cjs'])

function listOption(opts: Dict, name: string): string[] {
  const value = opts.get(name) ?? null
  if (isList(value)) return value.map(str)
  const text = textOf(value)
  return text === undefined || text === '' ? [] : [text]
}

/** Return the folders in search order. */
export function moduleFolders(opts: Dict, family: FamilyName): string[] {
  const shared = listOption(opts, 'module_dirs').flatMap((folder) => [join(folder, family), join(folder, `_${family}`)])
  const own =
    family === 'modules' ? listOption(opts, 'module_dirs') : listOption(opts, OPTIONS[family] ?? `${family}_dirs`)
  const synced = option(opts, 'extension_modules')
  return [...shared.reverse(), ...own, ...(synced ? [join(synced, family)] : [])]
}

/** Return the modules of a family; of several with one name, the first. As in Salt, those of extensions come last. */
export function moduleFiles(opts: Dict, family: FamilyName): ModuleFile[] {
  const found = new Map<string, ModuleFile>()
  for (const folder of moduleFolders(opts, family)) {
    for (const file of filesIn(folder)) if (!found.has(file.name)) found.set(file.name, file)
  }
  for (const file of extensionFiles(opts, family)) if (!found.has(file.name)) found.set(file.name, file)
  return [...found.values()]
}

/** Return the Python modules of a kind in installed extensions. Like Salt, ignore `utils` there. */
function extensionFiles(opts: Dict, family: FamilyName): ModuleFile[] {
  if (family === 'utils') return []
  return installedExtensions(opts).flatMap((extension) =>
    (extension.folders.get(family) ?? [])
      .flatMap((folder) => filesIn(folder))
      .filter(({ language }) => language === 'python')
      .map((file) => ({ ...file, extension })),
  )
}

export function filesIn(folder: string): ModuleFile[] {
  const found: ModuleFile[] = []
  for (const file of namesIn(folder)) {
    if (file.startsWith('_') || file.startsWith('.')) continue
    const path = join(folder, file)
    const ending = extname(file)
    const name = file.slice(0, file.length - ending.length)
    if (ending === '.py') found.push({ name, path, language: 'python' })
    else if (NATIVE.has(ending) && !file.endsWith('.d.ts')) found.push({ name, path, language: 'native' })
    else if (ending === '' && isFile(join(path, '__init__.py'))) found.push({ name: file, path, language: 'python' })
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
