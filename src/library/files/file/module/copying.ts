// Copies, moves and links.
import { dictFrom, failure, misuse, type Value } from '../../../../data/mod.ts'
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

import { stats } from './stats.ts'

/** Copy all files of a tree over existing ones. */
async function copyTree(ctx: FunctionContext, source: string, target: string): Promise<void> {
  if (!(await isDirectory(ctx, source))) return
  await ctx.host.makeDirectory(target, { parents: true })
  for (const name of await ctx.host.list(source)) {
    const [from, to] = [joinPaths(source, name), joinPaths(target, name)]
    if ((await ctx.host.lstat(from))?.type === 'directory') await copyTree(ctx, from, to)
    else if (!(await isDirectory(ctx, from))) await ctx.host.write(to, await ctx.host.read(from))
  }
}

/** Return whether two paths are the same file. */
async function isSame(ctx: FunctionContext, one: string, other: string): Promise<boolean> {
  const [a, b] = [await ctx.host.stat(one), await ctx.host.stat(other)]
  return a !== undefined && b !== undefined && a.inode === b.inode && a.device === b.device
}

/** Copy a file or directory with its owner and mode. */
export async function copyPath(
  ctx: FunctionContext,
  from: string,
  to: string,
  { recurse, removeExisting }: { recurse: boolean; removeExisting: boolean },
): Promise<true> {
  const [source, target] = [await expandUser(ctx, from), await expandUser(ctx, to)]
  if (!isAbsolute(source)) throw misuse('File path must be absolute.')
  if (!(await exists(ctx, source))) throw failure(`No such file or directory '${source}'`)
  const { user, group, mode } = await stats(ctx, source)
  if (await isSame(ctx, source, target)) throw failure(`Could not copy '${source}' to '${target}'`)
  try {
    if ((await isDirectory(ctx, target)) || (await isDirectory(ctx, source))) {
      if (!recurse) throw misuse('Cannot copy overwriting a directory without recurse flag set to true!')
      if (removeExisting && (await exists(ctx, target))) {
        await ctx.host.removeDirectory(target, { recursive: true })
      }
      await copyTree(ctx, source, target)
    } else {
      await ctx.host.writeStream(target, ctx.host.stream(source))
    }
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failure(`Could not copy '${source}' to '${target}'`)
    throw error
  }
  await checkPermissions(ctx, target, null, { user, group, mode })
  return true
}

export async function renamePath(ctx: FunctionContext, from: string, to: string): Promise<true> {
  const [source, target] = [await expandUser(ctx, from), await expandUser(ctx, to)]
  if (!isAbsolute(source)) throw misuse('File path must be absolute.')
  try {
    await ctx.host.rename(source, target)
    return true
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failure(`Could not rename '${source}' to '${target}'`)
    throw error
  }
}

/** Move a path, into the target if that is a directory; copy it across file systems. */
export async function movePath(ctx: FunctionContext, from: string, to: string): Promise<Value> {
  const [source, target] = [await expandUser(ctx, from), await expandUser(ctx, to)]
  if (!isAbsolute(source)) throw misuse('Source path must be absolute.')
  if (!isAbsolute(target)) throw misuse('Destination path must be absolute.')
  const unable = (reason: string): Error => failure(`Unable to move '${source}' to '${target}': ${reason}`)
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
    // name the path that is missing: the source, or else the target
    const about = (await ctx.host.lstat(source)) ? into : source
    throw unable(error.message.replace(/: '.*$/s, `: '${about}'`))
  }
  return dictFrom({ result: true, comment: `'${source}' moved to '${target}'` })
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

export async function makeHardLink(ctx: FunctionContext, from: string, path: string): Promise<true> {
  const source = await expandUser(ctx, from)
  if (!isAbsolute(source)) throw misuse('File path must be absolute.')
  try {
    await ctx.host.link(source, path)
    return true
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failure(`Could not create '${path}': ${error.message}`)
    throw error
  }
}

export interface LinkOptions {
  force: boolean
  atomic: boolean
  follow: boolean
}

export async function makeSymlink(
  ctx: FunctionContext,
  source: string,
  link: string,
  { force, atomic, follow }: LinkOptions,
): Promise<true> {
  const path = await expandUser(ctx, link)
  if (!isAbsolute(path)) throw misuse(`Link path must be absolute: ${path}`)
  const gentle = !force && !atomic
  const linked = await isLink(ctx, path)
  if (linked) {
    if (normalPath(await ctx.host.readLink(path)) === normalPath(source)) return true
    if (gentle) throw failure(`Found existing symlink: ${path}`)
  }
  const isThere = follow ? await exists(ctx, path) : (await ctx.host.lstat(path)) !== undefined
  if (isThere && gentle) throw failure(`Existing path is not a symlink: ${path}`)
  if (atomic) return replaceLink(ctx, source, path)
  if ((linked || isThere) && force) await ctx.host.remove(path)
  try {
    await ctx.host.symlink(source, path)
    return true
  } catch (error) {
    if (isHostError(error) && error.errno !== 0) throw failure(`Could not create '${path}'`)
    throw error
  }
}

/** Replace a link by renaming a temporary one, so that the path always exists. */
async function replaceLink(ctx: FunctionContext, source: string, path: string): Promise<true> {
  const temporary = await ctx.host.tempFile({ directory: dirName(path) })
  await ctx.host.remove(temporary)
  await ctx.host.symlink(source, temporary)
  try {
    await ctx.host.rename(temporary, path)
    return true
  } catch (error) {
    await ctx.host.remove(temporary)
    if (isHostError(error) && error.errno !== 0) throw failure(`Could not create '${path}'`)
    throw error
  }
}
