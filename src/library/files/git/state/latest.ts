// A checkout is at the newest commit of a revision of its remote: cloned when it is missing, else updated.
import { isAbsolute } from 'node:path/posix'
import {
  type Dict,
  isFailure,
  PyError,
  redactUrl,
  str,
  truthy,
  type Value,
  withBasicAuth,
} from '../../../../data/mod.ts'
import type { StateContext, StateReturn } from '../../../../sdk/mod.ts'
import { aimOf } from './aim.ts'
import type { LatestOptions } from './arguments.ts'
import { Checkout } from './checkout.ts'
import { cloneLatest } from './latest-clone.ts'
import { updateLatest } from './latest-update.ts'
import type { LatestWork } from './latest-work.ts'
import { Report, said, unknownKeywords } from './report.ts'
import { identityList } from './target.ts'

function faultOf({ kwargs, remote, target, rev, force_reset }: LatestOptions): string | undefined {
  const unknown = unknownKeywords(kwargs)
  if (unknown !== undefined) return unknown
  if (!remote) return "'remote' argument is required"
  if (!target) return "'target' argument is required"
  if (!truthy(rev)) return `'${str(rev)}' is not a valid value for the 'rev' argument`
  if (force_reset !== true && force_reset !== false && force_reset !== 'remote-changes') {
    return "'force_reset' must be one of True, False, or 'remote-changes'"
  }
  return isAbsolute(target) ? undefined : `target '${target}' is not an absolute path`
}

function urlOf({ name, https_user, https_pass }: LatestOptions): string | PyError {
  try {
    return withBasicAuth(name, https_user, https_pass)
  } catch (error) {
    if (error instanceof PyError) return error
    throw error
  }
}

export async function latest(ctx: StateContext, options: LatestOptions): Promise<StateReturn> {
  const report = new Report(ctx, options.name)
  const fault = faultOf(options)
  if (fault !== undefined) return report.failed(fault)
  const { target, remote, branch } = options
  const identity = await identityList(ctx, options.identity, 'identity')
  if (typeof identity === 'string') return report.failed(identity)
  if ((await ctx.host.stat(target))?.type === 'file') {
    return report.failed(`Target '${target}' exists and is a regular file, cannot proceed`)
  }
  const url = urlOf(options)
  if (url instanceof PyError) return report.failed(url.message)
  const bare = options.bare || options.mirror
  const rev = str(options.rev)
  if (rev !== 'HEAD' && bare) return report.failed("'rev' is not compatible with the 'mirror' and 'bare' arguments")
  let refs: Dict
  try {
    refs = await remoteRefs(ctx, options, identity)
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Failed to check remote refs: ${said(error)}`)
  }
  const aim = aimOf(refs, rev, remote, bare)
  if (options.depth !== null && aim.type !== 'branch' && aim.type !== 'tag') {
    return report.failed(
      "When 'depth' is used, 'rev' must be set to the name of a branch or tag on the remote repository",
    )
  }
  if (aim.commit === null && !bare && rev !== 'HEAD') {
    return report.failed(`No revision matching '${rev}' exists in the remote repository`)
  }
  const checkout = new Checkout(ctx, target, { ...options, identity })
  const work: LatestWork = { ctx, options, report, checkout, aim, bare, branch, remote, url, shownUrl: redactUrl(url) }
  return (await checkout.isRepository(bare ? 'refs' : '.git')) ? updateLatest(work) : cloneLatest(work)
}

async function remoteRefs(ctx: StateContext, options: LatestOptions, identity: Value): Promise<Dict> {
  const { user, password, https_user, https_pass, output_encoding } = options
  const access = { user, password, identity, https_user, https_pass, output_encoding, saltenv: ctx.env }
  return ctx.call('git.remote_refs', [options.name], access)
}
