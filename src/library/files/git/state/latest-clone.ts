// git.latest without a checkout: clone the repository.
import { toError } from '../../../../base/mod.ts'
import { dictFrom, isFailure } from '../../../../data/mod.ts'
import type { StateReturn } from '../../../../sdk/mod.ts'
import { sameRevision } from './aim.ts'
import { type LatestWork, startOf, trackingChange, upstreamOf } from './latest-work.ts'
import { said, sentences } from './report.ts'
import { makeRoom } from './target.ts'

export async function cloneLatest(work: LatestWork): Promise<StateReturn> {
  const { ctx, options, report, checkout } = work
  const { target } = checkout
  const move = `${options.name} => ${target}`
  const foreseen = (): StateReturn => {
    report.changes.set('forced clone', true).set('new', move)
    return report.foreseen(
      `Target directory ${target} exists. Since force_clone=True, the contents of ${target} would be deleted, and ${options.name} would be cloned into this directory.`,
    )
  }
  const ended = await makeRoom(ctx, { report, target, force: options.force_clone, foreseen })
  if (ended) return ended
  if (ctx.test) {
    report.changes.set('new', move)
    return report.foreseen(`Repository ${options.name} would be cloned to ${target}`)
  }
  try {
    const refusal = await clone(work)
    if (refusal) return refusal
    const after = await checkout.revision()
    if (after !== null) {
      const revision = dictFrom({ old: null, new: after })
      report.changes.set('revision', revision)
    }
  } catch (error) {
    return report.failed(isFailure(error) ? said(error) : toError(error).message)
  }
  return report.end(true, sentences(report.comments))
}

function cloneOptions({ options, remote, bare, aim }: LatestWork): string[] {
  return [
    ...(options.mirror ? ['--mirror'] : bare ? ['--bare'] : []),
    ...(remote === 'origin' ? [] : ['--origin', remote]),
    ...(options.depth === null ? [] : ['--depth', options.depth, '--branch', aim.rev]),
  ]
}

async function clone(work: LatestWork): Promise<StateReturn | null> {
  const { options, report, checkout, bare, aim, remote } = work
  try {
    await checkout.clone(options.name, cloneOptions(work))
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Clone failed: ${said(error)}`)
  }
  report.changes.set('new', `${options.name} => ${checkout.target}`)
  const kind = options.mirror ? ' as mirror' : bare ? ' as bare repository' : ''
  report.comments.push(`${options.name} cloned to ${checkout.target}${kind}`)
  if (!bare) {
    if (aim.commit !== null) {
      const refusal = await settle(work, aim.commit)
      if (refusal) return refusal
    } else if (aim.rev !== 'HEAD') {
      return report.failed(`Repository was cloned but is empty, so ${remote}/${aim.rev} cannot be checked out`)
    }
  }
  if (!options.submodules || aim.commit === null) return null
  try {
    await checkout.updateSubmodules()
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Failed to update submodules: ${said(error)}`)
  }
  return null
}

/** Set the branch, the commit and the upstream of a new clone. */
async function settle({ report, checkout, aim, branch }: LatestWork, commit: string): Promise<StateReturn | null> {
  if (aim.type === 'tag' && !(await checkout.tags()).includes(aim.rev)) {
    return report.failed(`Revision '${aim.rev}' does not exist in clone`)
  }
  if (branch !== null && !(await checkout.branches()).includes(branch)) {
    await checkout.call('checkout', [startOf(aim)], { opts: ['-b', branch] })
    report.comments.push(`Branch '${branch}' checked out, with ${aim.location} as a starting point`)
  }
  const head = await checkout.revision()
  const current = await checkout.branch()
  if (current === null && !aim.hasHead) {
    return report.failed(
      "Remote HEAD refers to a ref that does not exist. This can happen when the default branch on the remote repository is renamed or deleted. If you are unable to fix the remote repository, you can work around this by setting the 'branch' argument (which will ensure that the named branch is created if it does not already exist).",
    )
  }
  if (!sameRevision(head, commit, aim.type)) {
    await checkout.call('reset', [], { opts: ['--hard', commit] })
    report.comments.push(`Repository was reset to ${aim.location}`)
  }
  const held = await upstreamOf(checkout, current)
  const tracking = trackingChange(aim, { held, branch, branches: await checkout.branches() })
  if (tracking?.opts) {
    await checkout.call('branch', [], { opts: tracking.opts })
    report.comments.push(tracking.done)
  }
  return null
}
