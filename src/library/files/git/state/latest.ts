// A checkout is at the newest commit of a revision of its remote: cloned when it is missing, else updated.
import { isAbsolute } from 'node:path/posix'
import { type Dict, PyError, redactUrl, str, truthy, type Value, withBasicAuth } from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { aimOf } from './aim.ts'
import { Checkout } from './checkout.ts'
import { cloneLatest } from './latest-clone.ts'
import { updateLatest } from './latest-update.ts'
import type { LatestWish, LatestWork } from './latest-work.ts'
import { isCommandError, Report, said, unknownKeywords } from './report.ts'
import { identityList } from './target.ts'

function faultOf({ kwargs, remote, target, rev, force_reset }: LatestWish): string | undefined {
  const unknown = unknownKeywords(kwargs)
  if (unknown !== undefined) return unknown
  if (!truthy(remote)) return "'remote' argument is required"
  if (!truthy(target)) return "'target' argument is required"
  if (!truthy(rev)) return `'${str(rev)}' is not a valid value for the 'rev' argument`
  if (force_reset !== true && force_reset !== false && force_reset !== 'remote-changes') {
    return "'force_reset' must be one of True, False, or 'remote-changes'"
  }
  return isAbsolute(str(target)) ? undefined : `target '${str(target)}' is not an absolute path`
}

function urlOf({ name, https_user, https_pass }: LatestWish): string | PyError {
  const textOrNull = (value: Value): string | null => (value === null ? null : str(value))
  try {
    return withBasicAuth(name, textOrNull(https_user), textOrNull(https_pass))
  } catch (error) {
    if (error instanceof PyError) return error
    throw error
  }
}

export async function latest(ctx: StateContext, wish: LatestWish): Promise<StateReturn> {
  const report = new Report(ctx, wish.name)
  const fault = faultOf(wish)
  if (fault !== undefined) return report.failed(fault)
  const target = str(wish.target)
  const identity = await identityList(ctx, wish.identity, 'identity')
  if (typeof identity === 'string') return report.failed(identity)
  if ((await ctx.host.stat(target))?.type === 'file') {
    return report.failed(`Target '${target}' exists and is a regular file, cannot proceed`)
  }
  const url = urlOf(wish)
  if (url instanceof PyError) return report.failed(url.message)
  const bare = wish.bare || wish.mirror
  const rev = str(wish.rev)
  if (rev !== 'HEAD' && bare) return report.failed("'rev' is not compatible with the 'mirror' and 'bare' arguments")
  const remote = str(wish.remote)
  let refs: Dict
  try {
    refs = await remoteRefs(ctx, wish, identity)
  } catch (error) {
    if (!isCommandError(error)) throw error
    return report.failed(`Failed to check remote refs: ${said(error)}`)
  }
  const aim = aimOf(refs, rev, remote, bare)
  if (wish.depth !== null && aim.type !== 'branch' && aim.type !== 'tag') {
    return report.failed(
      "When 'depth' is used, 'rev' must be set to the name of a branch or tag on the remote repository",
    )
  }
  if (aim.commit === null && !bare && rev !== 'HEAD') {
    return report.failed(`No revision matching '${rev}' exists in the remote repository`)
  }
  const checkout = new Checkout(ctx, target, { ...wish, identity })
  const branch = wish.branch === null ? null : str(wish.branch)
  const work: LatestWork = { ctx, wish, report, checkout, aim, bare, branch, remote, url, shownUrl: redactUrl(url) }
  return (await checkout.isRepository(bare ? 'refs' : '.git')) ? updateLatest(work) : cloneLatest(work)
}

async function remoteRefs(ctx: StateContext, wish: LatestWish, identity: Value): Promise<Dict> {
  const { user, password, https_user, https_pass, output_encoding } = wish
  const access = { user, password, identity, https_user, https_pass, output_encoding, saltenv: ctx.env }
  return ctx.call('git.remote_refs', [wish.name], access)
}
