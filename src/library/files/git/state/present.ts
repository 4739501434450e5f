// A repository exists.
import { isHostError, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import type { PresentOptions } from './arguments.ts'
import { Report } from './report.ts'
import { remove } from './target.ts'

async function exists(ctx: StateContext, options: PresentOptions): Promise<boolean> {
  const { name, user, password, output_encoding } = options
  if (options.bare) return (await ctx.host.stat(`${name}/HEAD`))?.type === 'file'
  if ((await ctx.host.stat(`${name}/.git`))?.type === 'directory') return true
  return ctx.call('git.is_worktree', [name], { user, password, output_encoding })
}

/** Make room for the repository; return a report when the state ends here. */
async function clearTarget(ctx: StateContext, options: PresentOptions, report: Report): Promise<StateReturn | null> {
  const { name } = options
  const kind = options.bare ? 'bare ' : ''
  if ((await ctx.host.stat(name))?.type !== 'directory') return null
  if (await exists(ctx, options)) return report.end(true, '')
  if (!options.force) {
    if ((await ctx.host.list(name)).length === 0) return null
    return report.failed(
      `Target '${name}' exists, is non-empty, and is not a git repository. Set the 'force' option to True to remove this directory's contents and proceed with initializing a repository`,
    )
  }
  if (ctx.test) {
    report.changes.set('new', name).set('forced init', true)
    return report.foreseen(
      `Target directory ${name} exists. Since force=True, the contents of ${name} would be deleted, and a ${kind}repository would be initialized in its place.`,
    )
  }
  try {
    await remove(ctx, name)
  } catch (error) {
    if (!isHostError(error)) throw error
    return report.failed(`Unable to remove ${name}: ${error.message}`)
  }
  report.changes.set('forced init', true)
  return null
}

export async function present(ctx: StateContext, options: PresentOptions): Promise<StateReturn> {
  const { name, bare, template, separate_git_dir, shared, user, password, output_encoding } = options
  const report = new Report(ctx, name)
  const ended = await clearTarget(ctx, options, report)
  if (ended) return ended
  const kind = bare ? 'bare ' : ''
  if (!ctx.test) {
    const keywords = { bare, template, separate_git_dir, shared, user, password, output_encoding }
    await ctx.call('git.init', [], { cwd: name, ...keywords })
  }
  report.changes.set('new', name)
  if (ctx.test) return report.foreseen(`New ${kind}repository would be created`)
  report.comments.push(`Initialized ${kind}repository in ${name}`)
  if (template) report.comments.push(`Template directory set to ${template}`)
  if (separate_git_dir) report.comments.push(`Gitdir set to ${separate_git_dir}`)
  return report.done()
}
