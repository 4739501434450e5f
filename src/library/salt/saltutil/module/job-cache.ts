// The job cache of a minion with the option `cache_jobs`.
import { decodeMsgpack, isDict } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, fileIn, isHostError, option, reads, ret } from '../../../../sdk/mod.ts'

const SECONDS_PER_HOUR = 3600

/** Remove folders, at every depth, that have not changed since a time. */
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
  doc: 'Return what this minion returned for a job. The option `cache_jobs` must be set.',
  args: { jid: arg.text('Job id') },
  returns: ret.any('Return of the job, or a text with the reason why it is not available'),
  example: 'saltutil.find_cached_job <job id>',
  run: async (ctx, { jid }) => {
    const folder = fileIn(folderOf(ctx), jid)
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
  doc: 'Remove old jobs from the job cache of the minion.',
  args: { hours: arg.count('Age in hours from which a job is removed', { default: 24 }) },
  returns: ret.boolean('Whether all old jobs were removed'),
  example: 'saltutil.clear_job_cache hours=12',
  run: async (ctx, { hours }) => {
    const threshold = ctx.host.now() - hours * SECONDS_PER_HOUR
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
