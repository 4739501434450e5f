// The differences between a directory and a request.
import { type Dict, dictFrom, equals, isFailure, numberOf, PyError, str, type Value } from '../../../../data/mod.ts'
import { isDirectory, joinPaths, type StateContext, type TextOrNumber } from '../../../../sdk/mod.ts'
import { normalizeMode } from '../modes.ts'

import { isIncluded } from './include-exclude.ts'
import { keepFiles } from './keep-files.ts'
import type { Owner } from './owners.ts'
import { relativePath } from './paths.ts'
import { depthLimitedWalk } from './walk.ts'

/** The wanted facts of a directory; with `recurse`, of everything below it. */
export interface DirectoryRequest {
  path: string
  user: Owner
  group: Owner
  recurse: string | Value[]
  dir_mode: string | null
  file_mode: string | null
  clean: boolean
  require: string | Value[] | null
  exclude_pat: string | Value[] | null
  max_depth: TextOrNumber | null
  follow_symlinks: boolean
  children_only: boolean
}

/** Return a request; a fact that is not given stays as it is. */
export const directoryRequest = (path: string, given: Partial<DirectoryRequest> = {}): DirectoryRequest => ({
  path,
  user: null,
  group: null,
  recurse: [],
  dir_mode: null,
  file_mode: null,
  clean: false,
  require: null,
  exclude_pat: null,
  max_depth: null,
  follow_symlinks: false,
  children_only: false,
  ...given,
})

export interface Verdict {
  result: boolean | null
  comment: string
  changes: Dict
}

const TARGETS = ['user', 'group', 'mode', 'ignore_files', 'ignore_dirs', 'silent']

/** Return the names in `recurse`; throw for unknown ones. */
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
  user: Owner
  group: Owner
  mode: string | null
  follow: boolean
}

/** Return the needed changes of one path; a path that does not exist is new. */
async function differences(ctx: StateContext, path: string, wanted: Wanted, mayLack: boolean): Promise<Dict> {
  let stats: Dict
  try {
    stats = await ctx.call('file.stats', [path, null, wanted.follow])
  } catch (error) {
    if (mayLack && isFailure(error)) return dictFrom({ directory: 'new' })
    throw error
  }
  const found: Dict = new Map()
  const isOther = (value: Value, name: string, id: string): boolean =>
    value !== null && !equals(value, stats.get(name) ?? null) && !equals(value, stats.get(id) ?? null)
  if (isOther(wanted.user, 'user', 'uid')) found.set('user', wanted.user)
  if (isOther(wanted.group, 'group', 'gid')) found.set('group', wanted.group)
  const mode = normalizeMode(wanted.mode)
  // the mode of a symbolic link has no effect
  const hasMode = wanted.follow || stats.get('type') !== 'link'
  if (mode !== null && mode !== normalizeMode(stats.get('mode') ?? null) && hasMode) found.set('mode', mode)
  return found
}

export const walkDepth = (max_depth: TextOrNumber | null): number | null =>
  max_depth === null ? null : (numberOf(max_depth) ?? 0)

/** Add the differences below a directory; `recurse` names the facts to compare. */
async function checkBelow(
  ctx: StateContext,
  request: DirectoryRequest,
  targets: Set<string>,
  changes: Dict,
): Promise<void> {
  const { user, group, dir_mode, file_mode, follow_symlinks: follow } = request
  const owner = { user: targets.has('user') ? user : null, group: targets.has('group') ? group : null, follow }
  const modes = targets.has('mode') ? { dir_mode, file_mode } : { dir_mode: null, file_mode: null }
  const note = async (path: string, mode: string | null, mayLack: boolean): Promise<void> => {
    const found = await differences(ctx, path, { ...owner, mode }, mayLack)
    if (found.size > 0) changes.set(path, found)
  }
  for (const { root, dirs, files } of await depthLimitedWalk(ctx, request.path, walkDepth(request.max_depth))) {
    if (!targets.has('ignore_files')) {
      for (const name of files) await note(joinPaths(root, name), modes.file_mode, false)
    }
    if (!targets.has('ignore_dirs')) {
      for (const name of dirs) await note(joinPaths(root, name), modes.dir_mode, true)
    }
  }
}

async function checkClean(
  ctx: StateContext,
  { path, require, exclude_pat }: DirectoryRequest,
  changes: Dict,
): Promise<void> {
  const keep = [...(await keepFiles(ctx, path, require))]
  for (const { root, dirs, files } of await depthLimitedWalk(ctx, path, null)) {
    for (const name of [...files, ...dirs]) {
      const each = joinPaths(root, name)
      if (keep.some((kept) => kept.includes(each))) continue
      if (isIncluded(relativePath(each, path), null, exclude_pat)) {
        changes.set(each, dictFrom({ removed: 'Removed due to clean' }))
      }
    }
  }
}

const isRecurse = (recurse: Value): boolean => recurse !== null && !(Array.isArray(recurse) && recurse.length === 0)

export async function checkDirectory(ctx: StateContext, request: DirectoryRequest): Promise<Verdict> {
  const { path, follow_symlinks: follow } = request
  const changes: Dict = new Map()
  let { user, group, dir_mode } = request
  if (isRecurse(request.recurse)) {
    let targets: Set<string>
    try {
      targets = recurseTargets(request.recurse)
    } catch (error) {
      if (!(error instanceof PyError)) throw error
      return { result: false, comment: error.message, changes }
    }
    await checkBelow(ctx, request, targets, changes)
    if (!targets.has('user')) user = null
    if (!targets.has('group')) group = null
    if (!targets.has('mode')) dir_mode = null
  }
  if (!request.children_only) {
    const own = await differences(ctx, path, { user, group, mode: dir_mode, follow }, true)
    if (own.size > 0) changes.set(path, own)
  }
  if (request.clean) await checkClean(ctx, request, changes)
  if (!(await isDirectory(ctx, path))) changes.set(path, dictFrom({ directory: 'new' }))
  if (changes.size === 0) return { result: true, comment: `The directory ${path} is in the correct state`, changes }
  const lines = ['The following files will be changed:\n']
  for (const [file, facts] of changes) {
    for (const [key, value] of facts as Dict) lines.push(`${str(file)}: ${str(key)} - ${str(value)}\n`)
  }
  return { result: null, comment: lines.join(''), changes }
}
