// The directories of a master: configuration with keys, cache with jobs and events, queues and tokens, and on request
// the served trees. A directory inside another one belongs to that one.
import { realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RESTORE_FOLDER } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str } from '../data/mod.ts'
import { UpkeepError } from './errors.ts'

export interface Area {
  name: string
  path: string
}

/** Directories below `cachedir` that the master creates again: copies of remote files, notes of running functions, files of other programs' work. */
const REMADE = [
  'file_lists',
  'git',
  'git_pillar',
  'gitfs',
  'hgfs',
  's3cache',
  'svnfs',
  'roots',
  'proc',
  '.dfn',
] as const

/**
 * Files that are skipped: logs of databases, whose content is in the copies, and leftovers of earlier restores and
 * migrations.
 */
const LEFT_OUT = /(?:\.db-(?:wal|shm|journal)|\.db\.(?:before|damaged)-.*|\.tmp|\.part)$/

const OLD_FILES = '.before-restore-'

/** Return the name of the directory that keeps the files from before a restore. */
export const oldFilesFolder = (id: string): string => `${OLD_FILES}${id}`

/** Return the directories of a master, existing ones with their real paths. */
export function masterAreas(opts: Dict, isWithTrees: boolean): Area[] {
  const cachedir = option(opts, 'cachedir')
  const named: Area[] = [
    { name: 'config', path: configFolder(opts) },
    { name: 'pki', path: option(opts, 'pki_dir') },
    { name: 'cache', path: cachedir },
    { name: 'queues', path: option(opts, 'sqlite_queue_dir') },
    { name: 'tokens', path: option(opts, 'token_dir') },
  ]
  if (isWithTrees) {
    for (const name of ['file_roots', 'pillar_roots', 'thorium_roots'] as const) {
      for (const path of rootsOf(opts.get(name))) named.push({ name, path })
    }
  }
  const real = named.map(({ name, path }) => ({ name, path: realPath(path) }))
  const root = real.find(({ path }) => path === '/')
  if (root) throw new UpkeepError('UnsafePath', `The ${root.name} directory of the master is /, which is not backed up`)
  return real.filter(({ path }, index) => !real.some((other, place) => isOuter(other.path, path, place < index)))
}

/** The directory of the configuration file. */
const configFolder = (opts: Dict): string => dirname(option(opts, 'conf_file'))

/** Whether a path equals or contains another; of equal paths the first one counts. */
const isOuter = (outer: string, path: string, isEarlier: boolean): boolean =>
  outer === path ? isEarlier : path.startsWith(`${outer}/`)

function realPath(path: string): string {
  return statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path
}

function rootsOf(roots: unknown): string[] {
  if (!isDict(roots as never)) return []
  const lists = [...(roots as Dict).values()].flatMap((list) => (isList(list) ? [...list] : []))
  return lists
    .map(str)
    .filter((path) => path.startsWith('/') && statSync(path, { throwIfNoEntry: false })?.isDirectory())
}

/** Return which paths of a master are left out of a backup. */
export function leftOut(opts: Dict): (path: string, name: string) => boolean {
  const cachedir = realPath(option(opts, 'cachedir'))
  const remade = new Set(REMADE.map((name) => join(cachedir, name)))
  return (path, name) =>
    remade.has(path) || name === RESTORE_FOLDER || name.startsWith(OLD_FILES) || LEFT_OUT.test(name)
}
