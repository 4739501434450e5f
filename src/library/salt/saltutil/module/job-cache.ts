// What a minion with `cache_jobs` keeps of its jobs: looked up, and removed when they are long over.
import { decodeMsgpack, isDict, numberOf } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, isHostError, option, reads, ret } from '../../../../sdk/mod.ts'

const SECONDS_PER_HOUR = 3600

/** Folders of jobs, at every depth, that nothing has changed since then. */
async function clear(ctx: FunctionContext, folder: string, threshold: number): Promise<void> {
  for (const name of await ctx.host.list(folder)) {
    const path = `${folder}/${name}`
    const facts = await ctx.host.lstat(path)
    if (facts?.type !== 'directory') continue
    if (facts.mtime < threshold) await ctx.host.removeDirectory(path, { recursive: true })
    else await clear(ctx, path, threshold)
  }
}

const folderOf = (ctx: FunctionContext): string => `${option(ctx.opts, 'cachedir')}/minion_jobs`

export const findCachedJob = reads({
  doc: 'What the minion returned for a job. It is known where `cache_jobs` is set.',
  args: { jid: arg.text('Its id') },
  returns: ret.any('The return, or why there is none'),
  example: 'saltutil.find_cached_job <job id>',
  run: async (ctx, { jid }) => {
    const folder = `${folderOf(ctx)}/${jid}`
    if ((await ctx.host.stat(folder))?.type !== 'directory') {
      return option(ctx.opts, 'cache_jobs')
        ? `Local jobs cache directory ${folder} not found`
        : 'Local jobs cache directory not found; you may need to enable cache_jobs on this minion'
    }
    const kept = await ctx.host.read(`${folder}/return.p`)
    const data = kept.length === 0 ? null : decodeMsgpack(kept, { dialect: 'bus' })
    return isDict(data) ? data : null
  },
})

export const clearJobCache = changes({
  doc: 'Remove what is kept of jobs that are over for longer than this.',
  args: { hours: arg.any('How many hours', { default: 24 }) },
  returns: ret.boolean('Whether all went'),
  example: 'saltutil.clear_job_cache hours=12',
  run: async (ctx, { hours }) => {
    const threshold = ctx.host.now() - (numberOf(hours) ?? 24) * SECONDS_PER_HOUR
    try {
      await clear(ctx, folderOf(ctx), threshold)
    } catch (error) {
      if (isHostError(error, 'ENOENT')) return true
      if (!isHostError(error)) throw error
      ctx.log('error', `Attempt to clear cache with saltutil.clear_job_cache FAILED with: ${error.message}`)
      return false
    }
    return true
  },
})
