// Parts of the functions that change text in a file: backups beside it, and errors.
import { failure, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, isHostError, isLink } from '../../../../sdk/mod.ts'

/** Copy a file with its mode and times, and with `keepOwner` its owner. */
export async function copyWithFacts(ctx: FunctionContext, from: string, to: string, keepOwner = false): Promise<void> {
  const stat = await ctx.host.stat(from)
  await ctx.host.write(to, await ctx.host.read(from))
  if (stat === undefined) return
  if (keepOwner) await ctx.host.chown(to, stat.uid, stat.gid)
  await ctx.host.chmod(to, stat.mode)
  await ctx.host.setTimes(to, stat.atime, stat.mtime)
}

/** Back up a file; the backup of a link is a link to the backup. */
export async function backUp(ctx: FunctionContext, given: string, path: string, suffix: Value): Promise<void> {
  const backup = `${path}${str(suffix)}`
  try {
    await copyWithFacts(ctx, path, backup)
  } catch (error) {
    if (!isHostError(error)) throw error
    throw failure(`Unable to move the temp file '${path}' to the backup file '${backup}'. Exception: ${error.message}`)
  }
  if (!(await isLink(ctx, given))) return
  const target = await ctx.host.readLink(given)
  const link = `${given}${str(suffix)}`
  if (await ctx.host.lstat(link)) await ctx.host.remove(link)
  await ctx.host.symlink(`${target}${str(suffix)}`, link)
}

/** Return an error of the system without its number and path. */
export function inBrief(error: unknown): unknown {
  if (!isHostError(error) || error.errno === 0) return error
  return failure(error.message.replace(/^\[Errno \d+\] /, '').replace(/: '.*$/s, ''))
}
