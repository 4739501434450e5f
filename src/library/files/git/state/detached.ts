// A clone at a revision, without a branch.
import { isAbsolute } from 'node:path/posix'
import { toError } from '../../../../base/mod.ts'
import { type Dict, dictFrom, isFailure, str, truthy } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import type { DetachedOptions } from './arguments.ts'
import { Checkout } from './checkout.ts'
import { Report, said, unknownKeywords } from './report.ts'
import { identityList, makeRoom } from './target.ts'

/** Data that the steps share. */
interface Work {
  ctx: StateContext
  options: DetachedOptions
  report: Report
  checkout: Checkout
  rev: string
  remote: string
  isHash: boolean
  /** The commit that was checked out before the state ran. */
  head: string | null
}

export async function detached(ctx: StateContext, options: DetachedOptions): Promise<StateReturn> {
  const report = new Report(ctx, options.name)
  const fault = faultOf(options)
  if (fault !== undefined) return report.failed(fault)
  const { target, remote } = options
  const identity = await identityList(ctx, options.identity, 'Identity')
  if (typeof identity === 'string') return report.failed(identity)
  if ((await ctx.host.stat(target))?.type === 'file') {
    return report.failed(`Target '${target}' exists and is a regular file, cannot proceed`)
  }
  const given = str(options.rev)
  const isHash = /^[0-9a-fA-F]{1,40}$/.test(given)
  const checkout = new Checkout(ctx, target, { ...options, identity })
  const rev = isHash ? given.toLowerCase() : given
  const work: Work = { ctx, options, report, checkout, rev, remote, isHash, head: null }
  return (await prepare(work)) ?? (await fetch(work)) ?? finish(work)
}

function faultOf({ kwargs, rev, target }: DetachedOptions): string | undefined {
  const unknown = unknownKeywords(kwargs)
  if (unknown !== undefined) return unknown
  if (!truthy(rev)) return `'${str(rev)}' is not a valid value for the 'rev' argument`
  if (!target) return `'${str(rev)}' is not a valid value for the 'target' argument`
  return isAbsolute(target) ? undefined : `Target '${target}' is not an absolute path`
}

/** Clone the repository, or set the remote of a clone; return a report when the state ends here. */
async function prepare(work: Work): Promise<StateReturn | null> {
  const { ctx, report, checkout, options, remote } = work
  const { target } = checkout
  if (await checkout.isRepository('.git')) {
    work.head = await checkout.revision()
    return work.isHash ? null : setRemote(work)
  }
  const foreseen = (): StateReturn =>
    report.foreseen(
      `Target directory ${target} exists. Since force_clone=True, the contents of ${target} would be deleted, and ${options.name} would be cloned into this directory.`,
    )
  const ended = await makeRoom(ctx, { report, target, force: options.force_clone, foreseen })
  if (ended) return ended
  if (ctx.test) return report.foreseen(`Repository ${options.name} would be cloned to ${target}`)
  try {
    await checkout.clone(options.name, ['--no-checkout', ...(remote === 'origin' ? [] : ['--origin', remote])])
  } catch (error) {
    return report.failed(isFailure(error) ? said(error) : toError(error).message)
  }
  report.comments.push(`${options.name} cloned to ${target}`)
  return null
}

async function setRemote({ ctx, options, report, checkout, remote }: Work): Promise<StateReturn | null> {
  const held = (await checkout.remotes()).get(remote)
  const url = held instanceof Map ? str(held.get('fetch') ?? null) : null
  if (url?.includes(options.name)) return null
  if (ctx.test) return report.foreseen(`Remote ${remote} would be set to ${options.name}`)
  const { https_user, https_pass } = options
  await checkout.call('remote_set', [], { url: options.name, remote, https_user, https_pass })
  report.comments.push(`Remote ${remote} updated from '${url ?? 'None'}' to '${options.name}'`)
  return null
}

async function fetch({ ctx, options, report, checkout, remote, rev, isHash }: Work): Promise<StateReturn | null> {
  const isThere = isHash && (await checkout.ask('describe', [rev])) !== null
  if (isThere || !options.fetch_remote) return null
  if (ctx.test) return report.foreseen(`Repository remote ${remote} would be fetched`)
  const refspecs = [`refs/heads/*:refs/remotes/${remote}/*`, '+refs/tags/*:refs/tags/*']
  try {
    const updates = await checkout.remoteCall('fetch', [], { remote, force: true, refspecs })
    if (truthy(updates)) report.comments.push(`Remote ${remote} was fetched, resulting in updated refs`)
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Fetch failed:\n\n${error.message}`)
  }
  return null
}

/** Return the commit of the revision; undefined if it does not exist. */
async function commitOf({ ctx, options, checkout, rev, remote, isHash }: Work): Promise<string | undefined> {
  if (isHash) return (await checkout.text('describe', [rev])) === '' ? undefined : rev
  const { user, password, identity, https_user, https_pass, output_encoding } = options
  const access = { user, password, identity, https_user, https_pass, output_encoding }
  const refs = await ctx.call('git.remote_refs', [checkout.target], access)
  const found = refs.get(`refs/remotes/${remote}/${rev}`) ?? refs.get(`refs/tags/${rev}`)
  return found === undefined ? undefined : str(found)
}

async function finish(work: Work): Promise<StateReturn> {
  const { ctx, options, report, checkout, rev, remote, head } = work
  const { target } = checkout
  let commit: string | undefined
  try {
    commit = await commitOf(work)
  } catch (error) {
    if (work.isHash || !isFailure(error)) throw error
    return report.failed(`Failed to list refs for ${remote}: ${said(error)}`)
  }
  if (commit === undefined) return report.end(false, `Revision '${rev}' does not exist`)
  if (options.hard_reset) {
    if (ctx.test) return report.foreseen(`Hard reset to HEAD would be performed on ${target}`)
    await checkout.call('reset', [], { opts: ['--hard', 'HEAD'] })
    report.comments.push('Repository was reset to HEAD before checking out revision')
  }
  const change = (after: string): Dict => dictFrom({ old: head, new: after })
  let after: string | null = null
  if (commit !== head) {
    if (ctx.test) {
      report.changes.set('HEAD', change(commit))
      return report.foreseen(`Commit ID ${commit} would be checked out at ${target}`)
    }
    await checkout.call('checkout', [commit], { force: options.force_checkout })
    report.comments.push(`Commit ID ${commit} was checked out at ${target}`)
    after = await checkout.revision()
  }
  if (options.submodules) {
    await checkout.updateSubmodules()
    report.comments.push('Submodules were updated')
  }
  if (after !== null) report.changes.set('HEAD', change(after))
  else report.comments.push('Already checked out at correct revision')
  return report.done()
}
