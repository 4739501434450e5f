// git.latest with a checkout: update it.
import { toError } from '../../../../base/mod.ts'
import { type Dict, isFailure, redactUrl, str, truthy, type Value } from '../../../../data/mod.ts'
import type { StateReturn } from '../../../../sdk/mod.ts'
import { sameRevision } from './aim.ts'
import { foresee } from './latest-foresee.ts'
import {
  behind,
  isAncestor,
  notFastForward,
  revisionChange,
  type Standing,
  staysBehind,
  survey,
} from './latest-survey.ts'
import { type LatestWork, needsBranch, startOf, type Tracking, trackingChange } from './latest-work.ts'
import { said } from './report.ts'

export async function updateLatest(work: LatestWork): Promise<StateReturn> {
  const { report } = work
  try {
    return await attempt(work)
  } catch (error) {
    return report.failed(isFailure(error) ? said(error) : toError(error).message)
  }
}

async function attempt(work: LatestWork): Promise<StateReturn> {
  const { ctx, options, report, checkout, aim, bare } = work
  const standing = await survey(work)
  if ('result' in standing) return standing
  if (standing.fastForward === false && options.force_reset === false) return notFastForward(work, standing)
  if (ctx.test) return foresee(work, standing)
  let refusal: StateReturn | null = null
  if (aim.commit !== null) {
    if (work.url !== standing.fetchUrl) await setRemote(work, standing.fetchUrl)
    refusal = await moveTo(work, standing, aim.commit)
  } else if (bare) refusal = await fetchBare(work)
  if (refusal) return refusal
  const after = await checkout.revision()
  if (!bare && !sameRevision(after, aim.commit, aim.type)) return report.failed('Failed to update repository')
  if (standing.head === after) return report.upToDate(checkout.target, report.comments)
  report.changes.set('revision', revisionChange(standing.head, after))
  return report.done()
}

async function setRemote(
  { options, report, checkout, remote, shownUrl }: LatestWork,
  held: string | null,
): Promise<void> {
  const { name, https_user, https_pass } = options
  await checkout.call('remote_set', [], { url: name, remote, https_user, https_pass })
  if (held === null) {
    report.comments.push(`Remote '${remote}' set to ${shownUrl}`)
    report.changes.set('new', `${name} => ${remote}`)
  } else report.comments.push(`Remote '${remote}' changed from ${redactUrl(held)} to ${shownUrl}`)
}

async function fetch({ options, checkout, remote }: LatestWork): Promise<Value> {
  const heads = `refs/heads/${options.refspec_branch}:refs/remotes/${remote}/${options.refspec_branch}`
  const tags = `+refs/tags/${options.refspec_tag}:refs/tags/${options.refspec_tag}`
  const refspecs = options.fetch_tags ? [heads, tags] : []
  return checkout.remoteCall('fetch', [], { remote, force: options.force_fetch, refspecs })
}

const fetchRefusal = (error: Error): string =>
  `Fetch failed. Set 'force_fetch' to True to force the fetch if the failure was due to not being able to fast-forward. Output of the fetch command follows:\n\n${said(error)}`

async function fetchBare(work: LatestWork): Promise<StateReturn | null> {
  const { report, checkout } = work
  try {
    const suffix = truthy(await fetch(work)) ? ', resulting in updated refs' : ''
    report.comments.push(`Bare repository at ${checkout.target} was fetched${suffix}`)
    return null
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(fetchRefusal(error))
  }
}

async function moveTo(work: LatestWork, standing: Standing, commit: string): Promise<StateReturn | null> {
  const { options, report, checkout, aim, branch } = work
  const facts = { held: standing.upstream, branch, branches: standing.branches }
  const tracking = trackingChange(aim, facts)
  if (tracking?.opts && standing.branch === null) {
    return report.failed(
      "Cannot set/unset upstream tracking branch, local HEAD refers to nonexistent branch. This may have been caused by cloning a remote repository for which the default branch was renamed or deleted. If you are unable to fix the remote repository, you can work around this by setting the 'branch' argument (which will ensure that the named branch is created if it does not already exist).",
    )
  }
  const sameTags = await compareTags(work, standing.tags)
  let { fastForward } = standing
  if (!standing.hasCommit || !sameTags) {
    const outcome = await bring(work, standing, commit)
    if (typeof outcome !== 'boolean') return outcome
    fastForward = outcome
  }
  const refusal =
    (await switchBranch(work, standing)) ?? (await merge(work, standing, { commit, fastForward, tracking }))
  if (refusal || !options.submodules) return refusal
  try {
    await checkout.updateSubmodules()
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Failed to update submodules: ${said(error)}`)
  }
  return null
}

/** Remove local tags that the remote does not have; return false when the tags differ. */
async function compareTags(
  { options, report, checkout, remote }: LatestWork,
  local: readonly string[],
): Promise<boolean> {
  const listed = (await checkout.remoteCall('ls_remote', [], { remote, opts: '--tags', ignore_retcode: true })) as Dict
  const names = [...listed.keys()].map((name) => str(name)).filter((name) => !name.includes('^{}'))
  const there = names.map((name) => name.replace('refs/tags/', ''))
  const fresh = there.filter((tag) => !local.includes(tag))
  const gone = local.filter((tag) => !there.includes(tag))
  if (fresh.length > 0) report.changes.set('new_tags', fresh)
  const removed: string[] = []
  for (const tag of options.sync_tags ? gone : []) {
    try {
      await checkout.call('tag', [tag], { opts: '-d' })
      removed.push(tag)
    } catch (error) {
      if (!isFailure(error)) throw error
      report.warnings.push(`Failed to remove local tag '${tag}':\n\n${error.message}\n\n`)
    }
  }
  if (removed.length > 0) {
    report.changes.set('deleted_tags', removed)
    report.comments.push(`The following tags were removed from the local checkout: ${removed.join(', ')}`)
  }
  return fresh.length === 0 && gone.length === 0
}

/** Fetch; return whether a fast-forward is possible then, or a report when the state ends here. */
async function bring(work: LatestWork, standing: Standing, commit: string): Promise<boolean | StateReturn> {
  const { options, report, checkout, aim } = work
  try {
    if (truthy(await fetch(work))) report.comments.push(`${options.name} was fetched, resulting in updated refs`)
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(fetchRefusal(error))
  }
  try {
    await checkout.text('rev_parse', [`${commit}^{commit}`], { ignore_retcode: true })
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.end(
      false,
      `Fetch did not successfully retrieve rev '${aim.rev}' from ${options.name}: ${error.message}`,
    )
  }
  if (!standing.matches && staysBehind(work, standing.branch)) return report.end(true, behind(work, standing.head))
  const forward = standing.base === null || (await isAncestor(work, standing.base))
  const stuck = options.force_reset === false && (!forward || standing.dirty)
  return stuck ? notFastForward(work, standing) : forward
}

async function switchBranch(work: LatestWork, standing: Standing): Promise<StateReturn | null> {
  const { options, report, checkout, aim, branch } = work
  if (!needsBranch(branch, standing.branch)) return null
  if (standing.dirty && !options.force_checkout) {
    return report.end(
      false,
      `Local branch '${standing.branch}' has uncommitted changes. Set 'force_checkout' to True to discard them and proceed.`,
    )
  }
  const isNew = !standing.branches.includes(branch)
  const start = isNew ? startOf(aim) : branch
  await checkout.call('checkout', [start], { force: options.force_checkout, opts: isNew ? ['-b', branch] : [] })
  report.comments.push(
    isNew
      ? `New branch '${branch}' was checked out, with ${aim.location} as a starting point`
      : `'${start}' was checked out`,
  )
  return null
}

interface Move {
  commit: string
  fastForward: boolean | null
  tracking: Tracking | undefined
}

async function merge(work: LatestWork, standing: Standing, move: Move): Promise<StateReturn | null> {
  const { options, report, checkout, aim } = work
  const { commit, fastForward, tracking } = move
  if (fastForward === false) {
    await checkout.call('reset', [], { opts: ['--hard', commit] })
    report.changes.set('forced update', true)
    if (standing.dirty) report.comments.push('Uncommitted changes were discarded')
    report.comments.push(`Repository was hard-reset to ${aim.location}`)
  } else if (fastForward === true && standing.dirty && options.force_reset !== false) {
    await checkout.call('discard_local_changes')
    report.comments.push('Uncommitted changes were discarded')
  }
  if (tracking?.opts) {
    await checkout.call('branch', [], { opts: tracking.opts })
    report.comments.push(tracking.done)
  }
  if (fastForward !== true || sameRevision(standing.base, commit, aim.type)) return null
  if (!aim.upstream && aim.rev !== 'HEAD') {
    await checkout.call('reset', [], { opts: ['--hard', aim.rev] })
    report.comments.push(`Repository was reset to ${aim.rev} (fast-forward)`)
    return null
  }
  const onBranch = await checkout.text('symbolic_ref', ['HEAD'], { opts: ['--quiet'], ignore_retcode: true })
  if (onBranch === '') return report.failed('Unable to fast-forward, HEAD is detached')
  await checkout.call('merge', [], { rev: commit, opts: ['--ff-only'] })
  report.comments.push(`Repository was fast-forwarded to ${aim.location}`)
  return null
}
