// A directory: there, with owner and mode, and with `clean` nothing in it but what is managed.
import { type Dict, isInt, PyError, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type StateContext, state } from '../../../../sdk/mod.ts'
import { type Answer, asDict, begin, dict, fail, fromDict } from './answer.ts'
import { checkDirectory, type DirectoryWish, recurseTargets, walkDepth } from './directory-check.ts'
import { cleanDirectory, keepFiles } from './keep-files.ts'
import { normalizeMode } from './modes.ts'
import { unknownOwners, userOf } from './owners.ts'
import { dirName, expandUser, isAbsolute, isDirectory, isFile, isLink, isSomething, joinPaths } from './paths.ts'
import { depthLimitedWalk } from './walk.ts'

export interface Directory {
  name: string
  user?: Value
  group?: Value
  recurse?: Value
  max_depth?: Value
  dir_mode?: Value
  file_mode?: Value
  makedirs?: boolean
  clean?: boolean
  require?: Value
  exclude_pat?: Value
  follow_symlinks?: boolean
  force?: boolean
  backupname?: Value
  allow_symlink?: boolean
  children_only?: boolean
  kwargs?: ReadonlyMap<string, Value>
}

/** Takes what is in the way aside, or tells that it would; a report ends the matter. */
async function makeWay(ctx: StateContext, answer: Answer, path: string, options: Directory) {
  const { force = false, allow_symlink = true } = options
  const backup = options.backupname ?? null
  const linked = await isLink(ctx, path)
  const isPlain = await isFile(ctx, path)
  if (!isPlain && !(linked && (!allow_symlink || force))) return undefined
  if (backup !== null) return moveAside(ctx, answer, path, str(backup), force)
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
  answer.changes.set(path, dict({ directory: 'new' }))
  return { ...answer, result: null, comment: `${path} would be backed up and replaced with a new directory` }
}

async function create(ctx: StateContext, answer: Answer, wish: DirectoryWish, makedirs: boolean): Promise<Answer> {
  const { path, user, group, dirMode: mode } = wish
  if (!(await isDirectory(ctx, dirName(path)))) {
    if (!makedirs) return fail(answer, `No directory to create ${path} in`)
    await ctx.call('file.makedirs', [], { path, user, group, mode })
  }
  await ctx.call('file.mkdir', [path], { user, group, mode })
  if (!(await isDirectory(ctx, path))) return fail(answer, `Failed to create directory ${path}`)
  answer.changes.set(path, dict({ directory: 'new' }))
  return answer
}

/** Why an owner cannot be given to all below, or undefined. */
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

/** Owner and mode of all below; what went wrong with single files is collected. */
async function applyBelow(ctx: StateContext, given: Answer, wish: DirectoryWish, errors: string[]): Promise<Answer> {
  let answer = given
  let targets: Set<string>
  try {
    targets = recurseTargets(wish.recurse)
  } catch (error) {
    if (error instanceof PyError) return fail(answer, error.message)
    throw error
  }
  for (const kind of ['user', 'group'] as const) {
    const fault = targets.has(kind) ? await ownerFault(ctx, kind, wish[kind]) : undefined
    if (fault !== undefined) answer = fail(answer, fault)
  }
  if (targets.has('silent')) answer = { ...answer, changes: dict({ recursion: 'Changes silenced' }) }
  const user = targets.has('user') ? wish.user : null
  const group = targets.has('group') ? wish.group : null
  const apply = async (path: string, mode: Value): Promise<void> => {
    const wanted = targets.has('mode') ? mode : null
    answer = await withPermissions(ctx, answer, [path, user, group, wanted, wish.followSymlinks], errors)
  }
  for (const { root, dirs, files } of await depthLimitedWalk(ctx, wish.path, walkDepth(wish.maxDepth))) {
    if (!targets.has('ignore_files')) for (const name of files) await apply(joinPaths(root, name), wish.fileMode)
    if (!targets.has('ignore_dirs')) for (const name of dirs) await apply(joinPaths(root, name), wish.dirMode)
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
    if (!errors || !(error instanceof SaltError) || error.code !== 'CommandExecutionError') throw error
    if (!error.message.startsWith('Path not found')) errors.push(error.message)
    return answer
  }
}

async function update(ctx: StateContext, given: Answer, wish: DirectoryWish): Promise<Answer> {
  const { path, user, group, dirMode, followSymlinks } = wish
  const errors: string[] = []
  let answer = given
  if (!wish.childrenOnly) answer = await withPermissions(ctx, answer, [path, user, group, dirMode, followSymlinks])
  if (truthy(wish.recurse)) answer = await applyBelow(ctx, answer, wish, errors)
  if (wish.clean) {
    const removed = await cleanDirectory(ctx, path, await keepFiles(ctx, path, wish.require), wish.excludePat)
    if (removed.length > 0) {
      answer.changes.set('removed', removed)
      answer.comment = `Files cleaned from directory ${path}`
    }
  }
  if (answer.comment === '') {
    if (wish.childrenOnly) answer.comment = `Directory ${path}/* updated`
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

function wishOf(path: string, user: Value, options: Directory): DirectoryWish {
  const mode = options.kwargs?.get('mode') ?? null
  const dirMode = truthy(options.dir_mode ?? null) ? options.dir_mode! : (mode ?? options.dir_mode ?? null)
  const fileMode = truthy(options.file_mode ?? null) ? options.file_mode! : dirMode
  return {
    path,
    user,
    group: options.group ?? null,
    recurse: truthy(options.recurse ?? null) ? options.recurse! : [],
    dirMode: normalizeMode(dirMode),
    fileMode: normalizeMode(fileMode),
    clean: options.clean ?? false,
    require: options.require ?? null,
    excludePat: options.exclude_pat ?? null,
    maxDepth: options.max_depth ?? null,
    followSymlinks: options.follow_symlinks ?? false,
    childrenOnly: options.children_only ?? false,
  }
}

export async function manageDirectory(ctx: StateContext, options: Directory): Promise<Answer> {
  const given = await expandUser(ctx, options.name)
  const answer = begin(given)
  if (given === '') return fail(answer, 'Must provide name to file.directory')
  const path = given.endsWith('/') && given !== '/' ? given.slice(0, -1) : given
  if ((options.max_depth ?? null) !== null && options.clean) {
    return fail(answer, 'Cannot specify both max_depth and clean')
  }
  const user = userOf(ctx, options.user ?? null, options.kwargs ?? new Map())
  const wish = wishOf(path, user, options)
  const unknown = await unknownOwners(ctx, user, wish.group)
  if (unknown !== '') return fail(answer, unknown)
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  const stopped = await makeWay(ctx, answer, path, options)
  if (stopped) return stopped
  const { result, comment, changes } = await checkDirectory(ctx, wish)
  for (const [key, value] of changes) answer.changes.set(key, value)
  if (ctx.test || answer.changes.size === 0) return { ...answer, result, comment }
  if (!(await isDirectory(ctx, path))) return create(ctx, answer, wish, options.makedirs ?? false)
  return update(ctx, answer, wish)
}

const flag = (doc: string) => arg.boolean(doc, { default: false })
const optional = (doc: string) => arg.any(doc, { optional: true })
const windows = optional('For Windows only')

export const directory = state({
  doc: 'Make a directory, and keep its owner, mode and content in order.',
  args: {
    name: arg.string('The path'),
    user: optional('The owner'),
    group: optional('The group'),
    recurse: optional('What is applied to all below: `user`, `group`, `mode`, `ignore_files`, `ignore_dirs`, `silent`'),
    max_depth: optional('How deep that goes'),
    dir_mode: optional('The mode of directories'),
    file_mode: optional('The mode of files'),
    makedirs: flag('Make the directories above it'),
    clean: flag('Remove all that no required state manages'),
    require: optional('The states whose files stay'),
    exclude_pat: optional('Patterns of paths that stay'),
    follow_symlinks: flag('Look at what links point to'),
    force: flag('Replace a file that is there'),
    backupname: optional('Where to move a file that is there'),
    allow_symlink: arg.any('Accept a link to a directory', { default: true }),
    children_only: flag('Leave the directory itself as it is'),
    win_owner: windows,
    win_perms: windows,
    win_deny_perms: windows,
    win_inheritance: arg.flag('For Windows only', { default: true }),
    win_perms_reset: arg.flag('For Windows only', { default: false }),
    kwargs: arg.ignored('`mode` for `dir_mode`; all else is ignored'),
  },
  run: (ctx, args) => manageDirectory(ctx, { ...args, allow_symlink: truthy(args.allow_symlink) }),
})
