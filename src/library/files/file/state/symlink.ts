// Symbolic links.
import { dictFrom, equals, isFailure, str, type Value } from '../../../../data/mod.ts'
import {
  arg,
  type Bound,
  baseName,
  dirName,
  exists,
  expandUser,
  isAbsolute,
  isDirectory,
  isFile,
  isHostError,
  isLink,
  joinPaths,
  normalPath,
  type StateContext,
  state,
  textOrNumber,
} from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { normalizeMode } from '../modes.ts'
import { type Answer, begin, fail, messageOf } from './answer.ts'
import { preflight } from './hardlink.ts'
import { windows } from './managed-options.ts'
import { mainGroup, type Owner, ownUser, userOf } from './owners.ts'
import { isSomething } from './paths.ts'
import { symlinkPlace } from './place.ts'

const flag = (doc: string) => arg.boolean(doc, { default: false })

const symlinkArgs = {
  name: arg.string('Path of the link'),
  target: arg.string('Target of the link'),
  force: flag('Replace an existing path'),
  backupname: arg.text('Path or file name that an existing path is moved to', { optional: true }),
  makedirs: flag('Create missing parent directories'),
  ...offered('user', 'group'),
  mode: arg.textOrNumber('Mode of created directories in octal: text or a number', { optional: true }),
  win_owner: windows,
  win_perms: windows,
  win_deny_perms: windows,
  win_inheritance: windows,
  atomic: flag('Replace an existing link atomically'),
  disallow_copy_and_unlink: flag('Fail if a backup would have to be copied'),
  inherit_user_and_group: flag('Keep the owner of an existing link'),
  follow_symlinks: arg.flag('Follow an existing link when the path is tested', { default: true }),
  kwargs: arg.ignored(),
}

type Symlink = Partial<Bound<typeof symlinkArgs>> & { name: string; target: string }

interface Owners {
  user: Owner
  group: Owner
}

async function ownerOf(ctx: StateContext, path: string): Promise<Owners> {
  const fact = async (name: string): Promise<Owner> =>
    textOrNumber(await ctx.call(`file.get_${name}`, [path], { follow_symlinks: false }))
  return { user: await fact('user'), group: await fact('group') }
}

const ownerText = ({ user, group }: Owners): string => `${str(user)}:${str(group)}`

async function isOwnedBy(ctx: StateContext, path: string, wanted: Owners): Promise<boolean> {
  const owner = await ownerOf(ctx, path)
  return equals(owner.user, wanted.user) && equals(owner.group, wanted.group)
}

async function setOwner(ctx: StateContext, path: string, wanted: Owners): Promise<boolean> {
  try {
    await ctx.call('file.lchown', [path, wanted.user, wanted.group])
  } catch (error) {
    if (!isHostError(error)) throw error
  }
  return isOwnedBy(ctx, path, wanted)
}

async function wantedOwner(ctx: StateContext, path: string, options: Symlink): Promise<Owners> {
  let user = userOf(ctx, options.user ?? null, options.kwargs ?? new Map())
  let group = options.group ?? null
  if (options.inherit_user_and_group && (user === null || group === null) && (await isLink(ctx, path))) {
    const current = await ownerOf(ctx, path)
    user ??= current.user
    group ??= current.group
  }
  user ??= ownUser(ctx)
  return { user, group: group ?? (await mainGroup(ctx, user)) }
}

async function predict(ctx: StateContext, answer: Answer, path: string, options: Symlink, owner: Owners) {
  const { target, force } = options
  const due = (comment: string, changes: Record<string, Value> = {}): Answer => {
    return { ...answer, result: null, comment, changes: dictFrom(changes) }
  }
  if (!(await isLink(ctx, path))) {
    const found = options.follow_symlinks === false ? await isSomething(ctx, path) : await exists(ctx, path)
    if (!found) return due(`Symlink ${path} to ${target} is set for creation`, { new: path })
    if (force) {
      return due(`The file or directory ${path} is set for removal to make way for a new symlink targeting ${target}`)
    }
    return fail(answer, `File or directory exists where the symlink ${path} should be. Did you mean to use force?`)
  }
  if ((await ctx.host.readLink(path)) !== target) {
    return due(`Link ${path} target is set to be changed to ${target}`, { change: path })
  }
  const present = `The symlink ${path} is present`
  if (await isOwnedBy(ctx, path, owner)) return { ...answer, comment: present }
  const current = ownerText(await ownerOf(ctx, path))
  return due(`${present}, but the ownership of the symlink would be changed from ${current} to ${ownerText(owner)}`, {
    ownership: current,
  })
}

/** Set the owner of a link with the right target; return the report. */
async function settleOwner(ctx: StateContext, answer: Answer, path: string, owner: Owners): Promise<Answer> {
  const text = ownerText(owner)
  if (await isOwnedBy(ctx, path, owner)) {
    return { ...answer, comment: `Symlink ${path} is present and owned by ${text}` }
  }
  if (await setOwner(ctx, path, owner)) {
    answer.changes.set('ownership', text)
    return { ...answer, comment: `Set ownership of symlink ${path} to ${text}` }
  }
  return fail(answer, `Failed to set ownership of symlink ${path} to ${text}`)
}

/** Move an existing path to its backup; return a report on failure. */
async function setAside(
  ctx: StateContext,
  answer: Answer,
  path: string,
  options: Symlink,
): Promise<Answer | undefined> {
  const given = options.backupname ?? ''
  if (!isAbsolute(given) && given !== baseName(given)) {
    return fail(answer, `Backupname must be an absolute path or a file name: ${given}`)
  }
  const backup = joinPaths(dirName(normalPath(path)), given)
  if (await isSomething(ctx, backup)) {
    if (!options.force) {
      const way = `${path} -> ${options.target}`
      return fail(answer, `Symlink & backup dest exists and Force not set. ${way} - backup: ${backup}`)
    }
    await ctx.call('file.remove', [backup])
  }
  const { disallow_copy_and_unlink = false } = options
  try {
    await ctx.call('file.move', [path, backup], { disallow_copy_and_unlink })
  } catch (error) {
    return fail(
      { ...answer, changes: new Map() },
      `Unable to rename ${path} to backup ${backup} -> : ${messageOf(error)}`,
    )
  }
  return undefined
}

/** Remove an existing path; return a report when the link is already right or cannot be created. */
async function clear(
  ctx: StateContext,
  answer: Answer,
  path: string,
  options: Symlink,
  owner: Owners,
): Promise<Answer | undefined> {
  if (await isLink(ctx, path)) {
    if (normalPath(await ctx.host.readLink(path)) === normalPath(options.target)) {
      return settleOwner(ctx, answer, path, owner)
    }
    await ctx.call('file.remove', [path])
    return undefined
  }
  const found = options.follow_symlinks === false ? await isSomething(ctx, path) : await exists(ctx, path)
  if (!found) return undefined
  if ((options.backupname ?? null) !== null) return setAside(ctx, answer, path, options)
  if (options.force || options.atomic) return undefined
  const isPlain = await isFile(ctx, path)
  const what = isPlain ? 'File' : (await isDirectory(ctx, path)) ? 'Directory' : 'File system entry'
  return fail(answer, `${what} exists where the symlink ${path} should be`)
}

export async function makeSymlink(ctx: StateContext, options: Symlink): Promise<Answer> {
  const path = await expandUser(ctx, options.name)
  const answer = begin(path)
  if (path === '') return fail(answer, 'Must provide name to file.symlink')
  const owner = await wantedOwner(ctx, path, options)
  const faults = await preflight(ctx, owner.user, owner.group, [path])
  if (faults !== '') return fail(answer, faults)
  const directory = dirName(path)
  const isLacking = !(await isDirectory(ctx, directory))
  if (ctx.test) {
    const predicted = await predict(ctx, answer, path, options, owner)
    if (!isLacking) return predicted
    const note = options.makedirs ? `${directory} will be created` : `Directory ${directory} for symlink is not present`
    return { ...predicted, comment: `${predicted.comment}\n${note}` }
  }
  if (isLacking) {
    if (!options.makedirs) return fail(answer, `Directory ${directory} for symlink is not present`)
    const { user, group } = owner
    await ctx.call('file.makedirs', [], { path, user, group, mode: normalizeMode(options.mode ?? null) })
  }
  return (await clear(ctx, answer, path, options, owner)) ?? connect(ctx, answer, path, options, owner)
}

async function connect(
  ctx: StateContext,
  answer: Answer,
  path: string,
  options: Symlink,
  owner: Owners,
): Promise<Answer> {
  const { target, force = false, atomic = false, follow_symlinks = true } = options
  try {
    await ctx.call('file.symlink', [target, path], { force, atomic, follow_symlinks })
  } catch (error) {
    const isExpected = isHostError(error) || isFailure(error)
    if (!isExpected) throw error
    return fail(answer, `Unable to create new symlink ${path} -> ${target}: ${messageOf(error)}`)
  }
  answer.changes.set('new', path)
  const comment = `Created new symlink ${path} -> ${target}`
  if ((await isOwnedBy(ctx, path, owner)) || (await setOwner(ctx, path, owner))) return { ...answer, comment }
  return fail(answer, `${comment}, but was unable to set ownership to ${ownerText(owner)}`)
}

export const symlink = state({
  doc: 'Ensure that a symbolic link exists.',
  args: symlinkArgs,
  place: symlinkPlace,
  run: makeSymlink,
})
