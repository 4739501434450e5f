// What differs between a directory and what is wanted of it.
import { type Dict, equals, numberOf, PyError, SaltError, str, type Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import { dict } from './answer.ts'
import { isIncluded } from './include-exclude.ts'
import { keepFiles } from './keep-files.ts'
import { normalizeMode } from './modes.ts'
import { isDirectory, joinPaths, relativePath } from './paths.ts'
import { depthLimitedWalk } from './walk.ts'

export interface DirectoryWish {
  path: string
  user: Value
  group: Value
  recurse: Value
  dirMode: Value
  fileMode: Value
  clean: boolean
  require: Value
  excludePat: Value
  maxDepth: Value
  followSymlinks: boolean
  childrenOnly: boolean
}

export interface Verdict {
  result: boolean | null
  comment: string
  changes: Dict
}

const TARGETS = ['user', 'group', 'mode', 'ignore_files', 'ignore_dirs', 'silent']

/** What `recurse` names; wrong names are refused. */
export function recurseTargets(recurse: Value): Set<string> {
  if (!Array.isArray(recurse)) throw new PyError('TypeError', '"recurse" must be formed as a list of strings')
  const names = recurse as Value[]
  if (!names.every((name) => typeof name === 'string' && TARGETS.includes(name))) {
    const known = TARGETS.map((name) => `"${name}"`).join(', ')
    throw new PyError('ValueError', `Types for "recurse" limited to ${known}.`)
  }
  const targets = new Set(names as string[])
  if (targets.has('ignore_files') && targets.has('ignore_dirs')) {
    throw new PyError(
      'ValueError',
      'Must not specify "recurse" options "ignore_files" and "ignore_dirs" at the same time.',
    )
  }
  return targets
}

interface Wanted {
  user: Value
  group: Value
  mode: Value
  follow: boolean
}

/** What is to change about one path; a path that is not there is new. */
async function differences(ctx: StateContext, path: string, wanted: Wanted, mayLack: boolean): Promise<Dict> {
  let stats: Dict
  try {
    stats = await ctx.call('file.stats', [path, null, wanted.follow])
  } catch (error) {
    if (mayLack && error instanceof SaltError && error.code === 'CommandExecutionError')
      return dict({ directory: 'new' })
    throw error
  }
  const found: Dict = new Map()
  const isOther = (value: Value, name: string, id: string): boolean =>
    value !== null && !equals(value, stats.get(name) ?? null) && !equals(value, stats.get(id) ?? null)
  if (isOther(wanted.user, 'user', 'uid')) found.set('user', wanted.user)
  if (isOther(wanted.group, 'group', 'gid')) found.set('group', wanted.group)
  const mode = normalizeMode(wanted.mode)
  // a link has no mode of its own
  const hasMode = wanted.follow || stats.get('type') !== 'link'
  if (mode !== null && mode !== normalizeMode(stats.get('mode') ?? null) && hasMode) found.set('mode', mode)
  return found
}

export const walkDepth = (maxDepth: Value): number | null => (maxDepth === null ? null : (numberOf(maxDepth) ?? 0))

/** Differences below; `recurse` decides which count. */
async function checkBelow(ctx: StateContext, wish: DirectoryWish, targets: Set<string>, changes: Dict): Promise<void> {
  const { user, group, dirMode, fileMode, followSymlinks: follow } = wish
  const owner = { user: targets.has('user') ? user : null, group: targets.has('group') ? group : null, follow }
  const modes = targets.has('mode') ? { dirMode, fileMode } : { dirMode: null, fileMode: null }
  const note = async (path: string, mode: Value, mayLack: boolean): Promise<void> => {
    const found = await differences(ctx, path, { ...owner, mode }, mayLack)
    if (found.size > 0) changes.set(path, found)
  }
  for (const { root, dirs, files } of await depthLimitedWalk(ctx, wish.path, walkDepth(wish.maxDepth))) {
    if (!targets.has('ignore_files')) {
      for (const name of files) await note(joinPaths(root, name), modes.fileMode, false)
    }
    if (!targets.has('ignore_dirs')) {
      for (const name of dirs) await note(joinPaths(root, name), modes.dirMode, true)
    }
  }
}

async function checkClean(
  ctx: StateContext,
  { path, require, excludePat }: DirectoryWish,
  changes: Dict,
): Promise<void> {
  const keep = [...(await keepFiles(ctx, path, require))]
  for (const { root, dirs, files } of await depthLimitedWalk(ctx, path, null)) {
    for (const name of [...files, ...dirs]) {
      const each = joinPaths(root, name)
      if (keep.some((kept) => kept.includes(each))) continue
      if (isIncluded(relativePath(each, path), null, excludePat)) {
        changes.set(each, dict({ removed: 'Removed due to clean' }))
      }
    }
  }
}

const isRecurse = (recurse: Value): boolean => recurse !== null && !(Array.isArray(recurse) && recurse.length === 0)

export async function checkDirectory(ctx: StateContext, wish: DirectoryWish): Promise<Verdict> {
  const { path, followSymlinks: follow } = wish
  const changes: Dict = new Map()
  let { user, group, dirMode } = wish
  if (isRecurse(wish.recurse)) {
    let targets: Set<string>
    try {
      targets = recurseTargets(wish.recurse)
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      return { result: false, comment: error.message, changes }
    }
    await checkBelow(ctx, wish, targets, changes)
    if (!targets.has('user')) user = null
    if (!targets.has('group')) group = null
    if (!targets.has('mode')) dirMode = null
  }
  if (!wish.childrenOnly) {
    const own = await differences(ctx, path, { user, group, mode: dirMode, follow }, true)
    if (own.size > 0) changes.set(path, own)
  }
  if (wish.clean) await checkClean(ctx, wish, changes)
  if (!(await isDirectory(ctx, path))) changes.set(path, dict({ directory: 'new' }))
  if (changes.size === 0) return { result: true, comment: `The directory ${path} is in the correct state`, changes }
  const lines = ['The following files will be changed:\n']
  for (const [file, facts] of changes) {
    for (const [key, value] of facts as Dict) lines.push(`${str(file)}: ${str(key)} - ${str(value)}\n`)
  }
  return { result: null, comment: lines.join(''), changes }
}
