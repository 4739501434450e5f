// Putting new content in place of a file: with a backup if requested, atomically, and with the old mode and owner unless another mode is
// given.
import { str, type Value } from '../../../../data/mod.ts'
import { dirName, type FunctionContext, isDirectory, isFile, systemError } from '../../../../sdk/mod.ts'
import { backUpToMinion } from './backups.ts'

/** Only the owner may read a new file until its final mode is set. */
export const PRIVATE = 0o600

export async function commitFile(
  ctx: FunctionContext,
  source: string,
  target: string,
  { backup, newMode }: { backup: Value; newMode?: number | undefined },
): Promise<void> {
  if (!(await isFile(ctx, source))) throw systemError('ENOENT', source)
  if (!(await isDirectory(ctx, dirName(target)))) throw systemError('ENOENT', target)
  const mode = str(ctx.has('config.backup_mode') ? await ctx.call('config.backup_mode', [backup]) : backup)
  const old = await ctx.host.stat(target)
  if ((mode === 'minion' || mode === 'both') && old) await backUpToMinion(ctx, target)
  // a link is replaced by the file; callers that follow links pass the target
  if ((await ctx.host.lstat(target))?.type === 'link') await ctx.host.remove(target)
  const facts = old ? { mode: newMode ?? old.mode, uid: old.uid, gid: old.gid } : { mode: newMode ?? PRIVATE }
  await ctx.host.writeStream(target, ctx.host.stream(source), facts)
}
