// A copy of another file or directory of the machine.
import { type Dict, dictFrom, str, type Value } from '../../../../data/mod.ts'
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
  joinPaths,
  type StateContext,
  state,
  type TextOrNumber,
  textOrNumber,
} from '../../../../sdk/mod.ts'
import { offered } from '../managed-request.ts'
import { type Answer, asDict, begin, fail, fromDict } from './answer.ts'
import { mainGroup, type Owner, ownUser, unknownOwners, userOf } from './owners.ts'
import { isSomething } from './paths.ts'
import { walk } from './walk.ts'

const flag = (doc: string) => arg.boolean(doc, { default: false })

const copyArgs = {
  name: arg.string('Path of the copy'),
  source: arg.string('Path of the source'),
  force: flag('Replace an existing path'),
  makedirs: flag('Create missing parent directories'),
  preserve: flag('Keep the owner, group and mode of the source'),
  ...offered('user', 'group', 'mode', 'dir_mode'),
  subdir: flag('Copy into the target when it is a directory'),
  kwargs: arg.ignored(),
}

type Copy = Bound<typeof copyArgs>

interface Wanted {
  user: Owner
  group: Owner
  mode: TextOrNumber | null
}

async function wantedOf(ctx: StateContext, options: Copy, source: string): Promise<Wanted> {
  const fact = async (name: string): Promise<TextOrNumber> => textOrNumber(await ctx.call(`file.get_${name}`, [source]))
  if (options.preserve) return { user: await fact('user'), group: await fact('group'), mode: await fact('mode') }
  const user = userOf(ctx, options.user, options.kwargs) ?? ownUser(ctx)
  const group = options.group ?? (await mainGroup(ctx, user))
  return { user, group, mode: options.mode }
}

/** Return the mode of a directory: that of a file, with an execute bit wherever it has any bit. */
function directoryMode(mode: Value): string {
  const digits = [...str(mode)].slice(-3)
  return digits.map((digit) => (digit === '0' ? digit : String(Number(digit) | 1))).join('')
}

async function copyTree(ctx: StateContext, source: string, target: string): Promise<void> {
  const stat = await ctx.host.lstat(source)
  if (stat?.type === 'link') return ctx.host.symlink(await ctx.host.readLink(source), target)
  if (stat?.type !== 'directory') {
    await ctx.host.copy(source, target)
    if (stat) await keepFacts(ctx, target, stat)
    return
  }
  await ctx.host.makeDirectory(target)
  for (const name of await ctx.host.list(source)) {
    await copyTree(ctx, joinPaths(source, name), joinPaths(target, name))
  }
  await keepFacts(ctx, target, stat)
}

async function keepFacts(
  { host }: StateContext,
  path: string,
  { mode, atime, mtime }: { mode: number; atime: number; mtime: number },
): Promise<void> {
  await host.chmod(path, mode)
  await host.setTimes(path, atime, mtime)
}

async function putInPlace(ctx: StateContext, source: string, path: string, { user, group }: Wanted): Promise<void> {
  if (!(await isDirectory(ctx, source))) {
    const target = (await isDirectory(ctx, path)) ? joinPaths(path, baseName(source)) : path
    await ctx.host.copy(source, target)
    await ctx.host.chmod(target, (await ctx.host.stat(source))!.mode)
    return
  }
  await copyTree(ctx, await ctx.host.realPath(source), path)
  for (const { root, dirs, files } of await walk(ctx, path)) {
    for (const name of [...dirs, ...files]) await ctx.call('file.lchown', [joinPaths(root, name), user, group])
  }
}

/** Return whether the copy is needed; an existing target is removed only with `force`. */
async function isDue(ctx: StateContext, answer: Answer, options: Copy, source: string, path: string): Promise<boolean> {
  if (!(await isSomething(ctx, path))) return true
  if (!options.force) return false
  if (await isFile(ctx, path)) {
    const sums = [path, source].map((each) => ctx.host.hash(each, 'sha256'))
    const [found, wanted] = await Promise.all(sums)
    if (found === wanted) answer.comment += ' - files are identical but force flag is set'
  }
  if (!ctx.test) await ctx.call('file.remove', [path], { force: true })
  return true
}

async function copyFile(ctx: StateContext, options: Copy): Promise<Answer> {
  let path = await expandUser(ctx, options.name)
  const source = await expandUser(ctx, options.source)
  const answer: Answer = { ...begin(path), comment: `Copied "${source}" to "${path}"` }
  if (path === '') return fail(answer, 'Must provide name to file.copy')
  if (!isAbsolute(path)) return fail(answer, `Specified file ${path} is not an absolute path`)
  if (!(await exists(ctx, source))) return fail(answer, `Source file "${source}" is not present`)
  const wanted = await wantedOf(ctx, options, source)
  const unknown = options.preserve ? '' : await unknownOwners(ctx, wanted.user, wanted.group)
  if (unknown !== '') return fail(answer, unknown)
  wanted.mode ??= textOrNumber(await ctx.call('file.get_mode', [source]))
  if (options.subdir && (await isDirectory(ctx, path))) path = joinPaths(path, baseName(source))
  if (!(await isDue(ctx, answer, options, source, path))) {
    return { ...answer, comment: `The target file "${path}" exists and will not be overwritten` }
  }
  if (ctx.test) return { ...answer, result: null, comment: `File "${source}" is set to be copied to "${path}"` }
  const directory = dirName(path)
  if (!(await isDirectory(ctx, directory))) {
    if (!options.makedirs) return fail(answer, `The target directory ${directory} is not present`)
    const mode = options.dir_mode ?? directoryMode(wanted.mode)
    await ctx.call('file.makedirs', [], { path, user: wanted.user, group: wanted.group, mode })
  }
  try {
    await putInPlace(ctx, source, path, wanted)
    return await checked(ctx, { ...answer, changes: dictFrom({ [path]: source }) }, path, wanted, options.preserve)
  } catch (error) {
    if (!isHostError(error)) throw error
    return fail(answer, `Failed to copy "${source}" to "${path}"`)
  }
}

async function checked(
  ctx: StateContext,
  answer: Answer,
  path: string,
  { user, group, mode }: Wanted,
  preserve: boolean,
): Promise<Answer> {
  if (preserve) return answer
  const [ret] = await ctx.call('file.check_perms', [path, asDict(answer), user, group, mode])
  return fromDict(ret as Dict)
}

export const copy = state({
  doc: 'Ensure that a file or directory is a copy of another.',
  calledAs: 'copy_',
  args: copyArgs,
  run: copyFile,
})
