// Copies, moves and links.
import { truthy, type Value } from '../../../../data/mod.ts'
import {
  baseName,
  dirName,
  exists,
  expandUser,
  type FunctionContext,
  isAbsolute,
  isDirectory,
  isHostError,
  isLink,
  joinPaths,
  normalPath,
} from '../../../../sdk/mod.ts'
import { checkPermissions } from './permissions.ts'
import { dict, failed, invalid } from './rewriting.ts'
import { stats } from './stats.ts'

/** All files of a tree, over what is there already. */
async function copyTree(ctx: FunctionContext, source: string, target: string): Promise<void> {
  if (!(await isDirectory(ctx, source))) return
  await ctx.host.makeDirectory(target, { parents: true })
  for (const name of await ctx.host.list(source)) {
    const [from, to] = [joinPaths(source, name), joinPaths(target, name)]
    if ((await ctx.host.lstat(from))?.type === 'directory') await copyTree(ctx, from, to)
    else if (!(await isDirectory(ctx, from))) await ctx.host.write(to, await ctx.host.read(from))
  }
}

/** Whether two paths lead to one file, by whatever names. */
async function isSame(ctx: FunctionContext, one: string, other: string): Promise<boolean> {
  const [a, b] = [await ctx.host.stat(one), await ctx.host.stat(other)]
  return a !== undefined && b !== undefined && a.inode === b.inode && a.device === b.device
}

/** Owner and mode of the source go with it. */
export async function copyPath(
  ctx: FunctionContext,
  from: Value,
  to: Value,
  { recurse, removeExisting }: { recurse: Value; removeExisting: Value },
): Promise<true> {
  const [source, target] = [await expandUser(ctx, from), await expandUser(ctx, to)]
  if (!isAbsolute(source)) throw invalid('File path must be absolute.')
  if (!(await exists(ctx, source))) throw failed(`No such file or directory '${source}'`)
  const { user, group, mode } = await stats(ctx, source)
  if (await isSame(ctx, source, target)) throw failed(`Could not copy '${source}' to '${target}'`)
  try {
    if ((await isDirectory(ctx, target)) || (await isDirectory(ctx, source))) {
      if (!truthy(recurse)) throw invalid('Cannot copy overwriting a directory without recurse flag set to true!')
      if (truthy(removeExisting) && (await exists(ctx, target))) {
        await ctx.host.removeDirectory(target, { recursive: true })
      }
      await copyTree(ctx, source, target)
    } else {
      await ctx.host.writeStream(target, ctx.host.stream(source))
    }
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failed(`Could not copy '${source}' to '${target}'`)
    throw error
  }
  await checkPermissions(ctx, target, null, { user, group, mode })
  return true
}

export async function renamePath(ctx: FunctionContext, from: Value, to: Value): Promise<true> {
  const [source, target] = [await expandUser(ctx, from), await expandUser(ctx, to)]
  if (!isAbsolute(source)) throw invalid('File path must be absolute.')
  try {
    await ctx.host.rename(source, target)
    return true
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failed(`Could not rename '${source}' to '${target}'`)
    throw error
  }
}

/** Into a directory that is there; across file systems by copying. */
export async function movePath(ctx: FunctionContext, from: Value, to: Value): Promise<Value> {
  const [source, target] = [await expandUser(ctx, from), await expandUser(ctx, to)]
  if (!isAbsolute(source)) throw invalid('Source path must be absolute.')
  if (!isAbsolute(target)) throw invalid('Destination path must be absolute.')
  const unable = (reason: string): Error => failed(`Unable to move '${source}' to '${target}': ${reason}`)
  let into = target
  if ((await isDirectory(ctx, target)) && !(await isSame(ctx, source, target))) {
    into = joinPaths(target, baseName(source.replace(/\/+$/, '')))
    if (await exists(ctx, into)) throw unable(`Destination path '${into}' already exists`)
  }
  if ((await isDirectory(ctx, source)) && into !== source && `${into}/`.startsWith(`${source}/`)) {
    throw unable(`Cannot move a directory '${source}' into itself '${target}'.`)
  }
  try {
    await moveAnywhere(ctx, source, into)
  } catch (error) {
    if (!isHostError(error) || error.errno === 0) throw error
    // what is missing: the source, or else a place for it
    const about = (await ctx.host.lstat(source)) ? into : source
    throw unable(error.message.replace(/: '.*$/s, `: '${about}'`))
  }
  return dict({ result: true, comment: `'${source}' moved to '${target}'` })
}

async function moveAnywhere(ctx: FunctionContext, source: string, target: string): Promise<void> {
  try {
    await ctx.host.rename(source, target)
  } catch (error) {
    if (!isHostError(error, 'EXDEV')) throw error
    const { user, group, mode } = await stats(ctx, source)
    if (await isDirectory(ctx, source)) {
      await copyTree(ctx, source, target)
      await ctx.host.removeDirectory(source, { recursive: true })
    } else {
      await ctx.host.writeStream(target, ctx.host.stream(source))
      await ctx.host.remove(source)
    }
    await checkPermissions(ctx, target, null, { user, group, mode })
  }
}

export async function makeHardLink(ctx: FunctionContext, from: Value, path: string): Promise<true> {
  const source = await expandUser(ctx, from)
  if (!isAbsolute(source)) throw invalid('File path must be absolute.')
  try {
    await ctx.host.link(source, path)
    return true
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failed(`Could not create '${path}': ${error.message}`)
    throw error
  }
}

export interface LinkOptions {
  force: Value
  atomic: Value
  follow: Value
}

export async function makeSymlink(
  ctx: FunctionContext,
  source: string,
  link: Value,
  { force, atomic, follow }: LinkOptions,
): Promise<true> {
  const path = await expandUser(ctx, link)
  if (!isAbsolute(path)) throw invalid(`Link path must be absolute: ${path}`)
  const gentle = !truthy(force) && !truthy(atomic)
  const linked = await isLink(ctx, path)
  if (linked) {
    if (normalPath(await ctx.host.readLink(path)) === normalPath(source)) return true
    if (gentle) throw failed(`Found existing symlink: ${path}`)
  }
  const isThere = truthy(follow) ? await exists(ctx, path) : (await ctx.host.lstat(path)) !== undefined
  if (isThere && gentle) throw failed(`Existing path is not a symlink: ${path}`)
  if (truthy(atomic)) return replaceLink(ctx, source, path)
  if ((linked || isThere) && truthy(force)) await ctx.host.remove(path)
  try {
    await ctx.host.symlink(source, path)
    return true
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failed(`Could not create '${path}'`)
    throw error
  }
}

/** Under a temporary name first, so that there is always a link. */
async function replaceLink(ctx: FunctionContext, source: string, path: string): Promise<true> {
  const temporary = await ctx.host.tempFile({ directory: dirName(path) })
  await ctx.host.remove(temporary)
  await ctx.host.symlink(source, temporary)
  try {
    await ctx.host.rename(temporary, path)
    return true
  } catch (error) {
    await ctx.host.remove(temporary)
    if (isHostError(error) && error.errno !== 0) throw failed(`Could not create '${path}'`)
    throw error
  }
}
