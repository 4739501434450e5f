// A repository exists.
import { str, truthy, type Value } from '../../../../data/mod.ts'
import { isHostError, type StateContext, type StateReturn } from '../../../../sdk/mod.ts'
import { Report } from './report.ts'
import { remove } from './target.ts'

interface Wish {
  name: string
  force: boolean
  bare: boolean
  template: Value
  separate_git_dir: Value
  shared: Value
  user: Value
  password: Value
  output_encoding: Value
}

async function exists(ctx: StateContext, wish: Wish): Promise<boolean> {
  const { name, user, password, output_encoding } = wish
  if (wish.bare) return (await ctx.host.stat(`${name}/HEAD`))?.type === 'file'
  if ((await ctx.host.stat(`${name}/.git`))?.type === 'directory') return true
  return truthy(await ctx.call('git.is_worktree', [name], { user, password, output_encoding }))
}

/** A report when the state ends here. */
async function clearTarget(ctx: StateContext, wish: Wish, report: Report): Promise<StateReturn | null> {
  const { name } = wish
  const kind = wish.bare ? 'bare ' : ''
  if ((await ctx.host.stat(name))?.type !== 'directory') return null
  if (await exists(ctx, wish)) return report.end(true, '')
  if (!wish.force) {
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

export async function present(ctx: StateContext, wish: Wish): Promise<StateReturn> {
  const { name, bare, template, separate_git_dir, shared, user, password, output_encoding } = wish
  const report = new Report(ctx, name)
  const ended = await clearTarget(ctx, wish, report)
  if (ended) return ended
  const kind = bare ? 'bare ' : ''
  if (!ctx.test) {
    const keywords = { bare, template, separate_git_dir, shared, user, password, output_encoding }
    await ctx.call('git.init', [], { cwd: name, ...keywords })
  }
  report.changes.set('new', name)
  if (ctx.test) return report.foreseen(`New ${kind}repository would be created`)
  report.comments.push(`Initialized ${kind}repository in ${name}`)
  if (truthy(template)) report.comments.push(`Template directory set to ${str(template)}`)
  if (truthy(separate_git_dir)) report.comments.push(`Gitdir set to ${str(separate_git_dir)}`)
  return report.done()
}
