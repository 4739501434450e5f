// A directory with owner and mode, and with `clean` only managed content.
import { type Dict, dictFrom, isFailure, isInt, PyError, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  dirName,
  expandUser,
  isAbsolute,
  isDirectory,
  isFile,
  isLink,
  joinPaths,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { normalizeMode } from '../modes.ts'
import { type Answer, asDict, begin, fail, fromDict } from './answer.ts'
import {
  checkDirectory,
  type DirectoryRequest,
  directoryRequest,
  recurseTargets,
  walkDepth,
} from './directory-check.ts'
import { cleanDirectory, keepFiles } from './keep-files.ts'
import { windows } from './managed-options.ts'
import { type Owner, unknownOwners, userOf } from './owners.ts'
import { isSomething } from './paths.ts'
import { directoryPlace } from './place.ts'
import { depthLimitedWalk } from './walk.ts'

const flag = (doc: string) => arg.boolean(doc, { default: false })

const directoryArgs = {
  name: arg.string('Path of the directory'),
  ...offered('user', 'group'),
  recurse: arg.textOrList(
    'Facts to apply to everything below: a list of `user`, `group`, `mode`, `ignore_files`, `ignore_dirs`, `silent`',
    { optional: true },
  ),
  max_depth: arg.textOrNumber('Depth limit of `recurse`: a number', { optional: true }),
  ...offered('dir_mode'),
  file_mode: arg.textOrNumber('Mode of files in octal: text or a number', { optional: true }),
  makedirs: flag('Create missing parent directories'),
  clean: flag('Remove everything that no required state manages'),
  require: arg.textOrList('Requisites whose files stay: a list', { optional: true }),
  exclude_pat: arg.textOrList('Globs, or with `E@` regular expressions, of paths that stay: text or a list', {
    optional: true,
  }),
  follow_symlinks: flag('Follow symbolic links'),
  force: flag('Replace a file or link at the path'),
  backupname: arg.text('Path that a file in the way is moved to', { optional: true }),
  allow_symlink: arg.flag('Accept a symbolic link to a directory', { default: true }),
  children_only: flag('Leave the directory itself unchanged'),
  win_owner: windows,
  win_perms: windows,
  win_deny_perms: windows,
  win_inheritance: arg.flag('For Windows only', { default: true }),
  win_perms_reset: arg.flag('For Windows only', { default: false }),
  kwargs: arg.ignored('`mode` for `dir_mode`; other keywords are ignored'),
}

type DirectoryOptions = Partial<Bound<typeof directoryArgs>> & { name: string }

/** Remove a file or link in the way, or predict it; return a report when the state ends here. */
async function makeWay(ctx: StateContext, answer: Answer, path: string, options: DirectoryOptions) {
  const { force = false, allow_symlink = true } = options
  const backup = options.backupname ?? null
  const linked = await isLink(ctx, path)
  const isPlain = await isFile(ctx, path)
  if (!isPlain && !(linked && (!allow_symlink || force))) return undefined
  if (backup !== null) return moveAside(ctx, answer, path, backup, force)
  const what = isPlain ? 'File' : linked ? 'Symlink' : 'Directory'
  if (!force) return fail(answer, `Specified location ${path} exists and is a ${what.toLowerCase()}`)
  answer.changes.set('forced', `${what} ${ctx.test ? 'would be' : 'was'} forcibly replaced`)
  if (ctx.test) return undefined
  if (isPlain) await ctx.host.remove(path)
  else await ctx.call('file.remove', [path])
  return undefined
}

async function moveAside(ctx: StateContext, answer: Answer, path: string, backup: string, force: boolean) {
  if (await isSomething(ctx, backup)) {
    if (!force) return fail(answer, `File exists where the backup target ${backup} should go`)
    if (ctx.test) answer.changes.set('forced', `Existing file at backup path ${backup} would be removed`)
    else await ctx.call('file.remove', [backup])
  }
  if (!ctx.test) {
    await ctx.host.rename(path, backup)
    return undefined
  }
  answer.changes.set('backup', `${path} would be renamed to ${backup}`)
  answer.changes.set(path, dictFrom({ directory: 'new' }))
  return { ...answer, result: null, comment: `${path} would be backed up and replaced with a new directory` }
}

async function create(
  ctx: StateContext,
  answer: Answer,
  request: DirectoryRequest,
  makedirs: boolean,
): Promise<Answer> {
  const { path, user, group, dir_mode: mode } = request
  if (!(await isDirectory(ctx, dirName(path)))) {
    if (!makedirs) return fail(answer, `No directory to create ${path} in`)
    await ctx.call('file.makedirs', [], { path, user, group, mode })
  }
  await ctx.call('file.mkdir', [path], { user, group, mode })
  if (!(await isDirectory(ctx, path))) return fail(answer, `Failed to create directory ${path}`)
  answer.changes.set(path, dictFrom({ directory: 'new' }))
  return answer
}

/** Return the reason why an owner cannot be applied recursively, or undefined. */
async function ownerFault(ctx: StateContext, kind: 'user' | 'group', owner: Value): Promise<string | undefined> {
  if (!truthy(owner) && !isInt(owner)) {
    return `${kind} not specified, but configured as a target for recursive ownership management`
  }
  const id = await ctx.call(kind === 'user' ? 'file.user_to_uid' : 'file.group_to_gid', [owner])
  if (typeof id !== 'string') return undefined
  return kind === 'user'
    ? `Failed to enforce ownership for user ${str(owner)} (user does not exist)`
    : `Failed to enforce group ownership for group ${str(owner)}`
}

/** Apply owner and mode to everything below; collect the errors of single files. */
async function applyBelow(
  ctx: StateContext,
  given: Answer,
  request: DirectoryRequest,
  errors: string[],
): Promise<Answer> {
  let answer = given
  let targets: Set<string>
  try {
    targets = recurseTargets(request.recurse)
  } catch (error) {
    if (error instanceof PyError) return fail(answer, error.message)
    throw error
  }
  for (const kind of ['user', 'group'] as const) {
    const fault = targets.has(kind) ? await ownerFault(ctx, kind, request[kind]) : undefined
    if (fault !== undefined) answer = fail(answer, fault)
  }
  if (targets.has('silent')) answer = { ...answer, changes: dictFrom({ recursion: 'Changes silenced' }) }
  const user = targets.has('user') ? request.user : null
  const group = targets.has('group') ? request.group : null
  const apply = async (path: string, mode: Value): Promise<void> => {
    const wanted = targets.has('mode') ? mode : null
    answer = await withPermissions(ctx, answer, [path, user, group, wanted, request.follow_symlinks], errors)
  }
  for (const { root, dirs, files } of await depthLimitedWalk(ctx, request.path, walkDepth(request.max_depth))) {
    if (!targets.has('ignore_files')) for (const name of files) await apply(joinPaths(root, name), request.file_mode)
    if (!targets.has('ignore_dirs')) for (const name of dirs) await apply(joinPaths(root, name), request.dir_mode)
  }
  return answer
}

type Permissions = [path: string, user: Value, group: Value, mode: Value, follow: boolean]

async function withPermissions(
  ctx: StateContext,
  answer: Answer,
  [path, user, group, mode, follow]: Permissions,
  errors?: string[],
): Promise<Answer> {
  try {
    const outcome = await ctx.call('file.check_perms', [path, asDict(answer), user, group, mode, null, follow])
    return fromDict((outcome as [Dict, Dict])[0])
  } catch (error) {
    if (!errors || !isFailure(error)) throw error
    if (!error.message.startsWith('Path not found')) errors.push(error.message)
    return answer
  }
}

async function update(ctx: StateContext, given: Answer, request: DirectoryRequest): Promise<Answer> {
  const { path, user, group, dir_mode, follow_symlinks } = request
  const errors: string[] = []
  let answer = given
  if (!request.children_only)
    answer = await withPermissions(ctx, answer, [path, user, group, dir_mode, follow_symlinks])
  if (truthy(request.recurse)) answer = await applyBelow(ctx, answer, request, errors)
  if (request.clean) {
    const removed = await cleanDirectory(ctx, path, await keepFiles(ctx, path, request.require), request.exclude_pat)
    if (removed.length > 0) {
      answer.changes.set('removed', removed)
      answer.comment = `Files cleaned from directory ${path}`
    }
  }
  if (answer.comment === '') {
    if (request.children_only) answer.comment = `Directory ${path}/* updated`
    else if (answer.changes.size > 0) answer.comment = `Directory ${path} updated`
  }
  if (answer.changes.size === 0 && answer.result) {
    const comment = `Directory ${path} is in the correct state`
    answer.comment = answer.comment === '' ? comment : `${comment}\n${answer.comment}`
  }
  if (errors.length === 0) return answer
  const list = errors.map((error) => `\n- ${error}`).join('')
  return fail(answer, `${answer.comment}\n\nThe following errors were encountered:\n${list}`)
}

function requestOf(path: string, user: Owner, options: DirectoryOptions): DirectoryRequest {
  const { dir_mode: given = null, file_mode = null, recurse = null, kwargs } = options
  const dir_mode = truthy(given) ? given : (kwargs?.get('mode') ?? given)
  return directoryRequest(path, {
    ...options,
    user,
    recurse: recurse || [],
    dir_mode: normalizeMode(dir_mode),
    file_mode: normalizeMode(truthy(file_mode) ? file_mode : dir_mode),
  })
}

export async function manageDirectory(ctx: StateContext, options: DirectoryOptions): Promise<Answer> {
  const given = await expandUser(ctx, options.name)
  const answer = begin(given)
  if (given === '') return fail(answer, 'Must provide name to file.directory')
  const path = given.endsWith('/') && given !== '/' ? given.slice(0, -1) : given
  if ((options.max_depth ?? null) !== null && options.clean) {
    return fail(answer, 'Cannot specify both max_depth and clean')
  }
  const user = userOf(ctx, options.user ?? null, options.kwargs ?? new Map())
  const request = requestOf(path, user, options)
  const unknown = await unknownOwners(ctx, user, request.group)
  if (unknown !== '') return fail(answer, unknown)
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  const stopped = await makeWay(ctx, answer, path, options)
  if (stopped) return stopped
  const { result, comment, changes } = await checkDirectory(ctx, request)
  for (const [key, value] of changes) answer.changes.set(key, value)
  if (ctx.test || answer.changes.size === 0) return { ...answer, result, comment }
  if (!(await isDirectory(ctx, path))) return create(ctx, answer, request, options.makedirs ?? false)
  return update(ctx, answer, request)
}

export const directory = state({
  doc: 'Ensure that a directory exists, with owner, mode and content.',
  args: directoryArgs,
  place: directoryPlace,
  run: manageDirectory,
})
