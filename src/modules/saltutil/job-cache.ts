// `saltutil.clear_job_cache`: removes what the minion kept of jobs that are long over.
import { numberOf, str } from '../../data/mod.ts'
import { arg, type FunctionContext, fn, isHostError, ret } from '../../sdk/mod.ts'

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

export const clearJobCache = fn({
  doc: 'Remove what is kept of jobs that are over for longer than this.',
  args: { hours: arg.any('How many hours', { default: 24 }) },
  returns: ret.boolean('Whether all went'),
  examples: ["salt '*' saltutil.clear_job_cache hours=12"],
  effect: 'change',
  run: async (ctx, { hours }) => {
    const threshold = ctx.host.now() - (numberOf(hours) ?? 24) * SECONDS_PER_HOUR
    try {
      await clear(ctx, `${str(ctx.opts.get('cachedir') ?? '')}/minion_jobs`, threshold)
    } catch (error) {
      if (isHostError(error, 'ENOENT')) return true
      if (!isHostError(error)) throw error
      ctx.log('error', `Attempt to clear cache with saltutil.clear_job_cache FAILED with: ${error.message}`)
      return false
    }
    return true
  },
})
