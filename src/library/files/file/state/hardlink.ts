// Hard links.
import { dictFrom, SaltError, str, truthy, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  dirName,
  exists,
  expandUser,
  isAbsolute,
  isDirectory,
  isFile,
  type StateContext,
  state,
} from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { normalizeMode } from '../modes.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { mainGroup, ownUser, userOf } from './owners.ts'

const linkArgs = {
  name: arg.string('Path of the link'),
  target: arg.string('Path of the file to link to'),
  force: arg.boolean('Replace a file at the path', { default: false }),
  makedirs: arg.boolean('Create missing parent directories', { default: false }),
  ...offered('user', 'group', 'dir_mode'),
  kwargs: arg.ignored(),
}

type Link = Bound<typeof linkArgs>

/** Return the errors about the owner and the paths of a link, as one text. */
export async function preflight(ctx: StateContext, user: Value, group: Value, paths: string[]): Promise<string> {
  const faults: string[] = []
  if ((await ctx.call('file.user_to_uid', [user])) === '') faults.push(`User ${str(user)} does not exist`)
  if ((await ctx.call('file.group_to_gid', [group])) === '') faults.push(`Group ${str(group)} does not exist`)
  for (const [index, path] of paths.entries()) {
    if (isAbsolute(path)) continue
    faults.push(`Specified ${index === 0 ? 'file' : 'target'} ${path} is not an absolute path`)
  }
  return faults.join('. ') + (faults.length > 1 ? '.' : '')
}

const isHardLink = async (ctx: StateContext, path: string): Promise<boolean> =>
  truthy(await ctx.call('file.is_hardlink', [path]))

async function isSame(ctx: StateContext, path: string, target: string): Promise<boolean> {
  const inode = async (each: string): Promise<Value> =>
    (await ctx.call('file.stats', [each, null], { follow_symlinks: false })).get('inode') ?? null
  return (await inode(path)) === (await inode(target))
}

async function predict(ctx: StateContext, answer: Answer, path: string, { target, force }: Link): Promise<Answer> {
  const due = (comment: string, changes: Record<string, Value> = {}): Answer => {
    return { ...answer, result: null, comment, changes: dictFrom(changes) }
  }
  if (!(await exists(ctx, target))) return fail(answer, `Target ${target} for hard link does not exist`)
  if (await isDirectory(ctx, target)) return fail(answer, `Unable to hard link from directory ${target}`)
  if (await isDirectory(ctx, path)) return fail(answer, `Unable to hard link to directory ${path}`)
  if (!(await exists(ctx, path))) {
    return due(`Hard link ${path} to ${target} is set for creation`, { new: path })
  }
  if (await isHardLink(ctx, path)) {
    if (await isSame(ctx, path, target)) {
      return { ...answer, comment: `The hard link ${path} is presently targetting ${target}` }
    }
    return due(`Link ${path} target is set to be changed to ${target}`, { change: path })
  }
  if (force) {
    return due(`The file or directory ${path} is set for removal to make way for a new hard link targeting ${target}`)
  }
  return fail(answer, `File or directory exists where the hard link ${path} should be. Did you mean to use force?`)
}

/** Return the reason why the link cannot be created, or undefined. */
async function obstacle(ctx: StateContext, path: string, target: string): Promise<string | undefined> {
  if (await isDirectory(ctx, path)) return `Unable to hard link to directory ${path}`
  if (await isDirectory(ctx, target)) return `Unable to hard link from directory ${target}`
  return (await exists(ctx, target)) ? undefined : `Target ${target} for hard link does not exist`
}

async function link(ctx: StateContext, options: Link): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const { target } = options
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.hardlink')
  const user = userOf(ctx, options.user, options.kwargs) ?? ownUser(ctx)
  const group = options.group ?? (await mainGroup(ctx, user))
  const faults = await preflight(ctx, user, group, [path, target])
  if (faults !== '') return fail(answer, faults)
  if (ctx.test) return predict(ctx, answer, path, options)
  const stopped = await obstacle(ctx, path, target)
  if (stopped !== undefined) return fail(answer, stopped)
  const directory = dirName(path)
  if (!(await isDirectory(ctx, directory))) {
    if (!options.makedirs) return fail(answer, `Directory ${directory} for hard link is not present`)
    await ctx.call('file.makedirs', [path], { user, group, mode: normalizeMode(options.dir_mode) })
  }
  if ((await isFile(ctx, path)) && !(await isHardLink(ctx, path))) {
    if (!options.force) return fail(answer, `File exists where the hard link ${path} should be`)
    await ctx.host.remove(path)
    answer.changes.set('forced', 'File for hard link was forcibly replaced')
  }
  return connect(ctx, answer, path, target)
}

async function connect(ctx: StateContext, answer: Answer, path: string, target: string): Promise<Answer> {
  const wasLink = await isHardLink(ctx, path)
  if (!wasLink && (await exists(ctx, path))) return answer
  if (wasLink) {
    if (await isSame(ctx, path, target)) {
      return { ...answer, comment: `Target of hard link ${path} is already pointing to ${target}` }
    }
    await ctx.host.remove(path)
  }
  try {
    await ctx.call('file.link', [target, path])
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    const action = wasLink ? 'set target of' : 'create new'
    return fail(answer, `Unable to ${action} hard link ${path} -> ${target}: ${messageOf(error)}`)
  }
  answer.changes.set('new', path)
  return { ...answer, comment: `${wasLink ? 'Set target of' : 'Created new'} hard link ${path} -> ${target}` }
}

export const hardlink = state({
  doc: 'Ensure that a hard link exists.',
  args: linkArgs,
  run: link,
})
