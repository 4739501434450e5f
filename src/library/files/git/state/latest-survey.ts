// The facts of a checkout before git.latest updates it, and whether it may be updated.
import { type Dict, dictFrom, isFailure, PyError, str, truthy } from '../../../../data/mod.ts'
import type { StateReturn } from '../../../../sdk/mod.ts'
import { sameRevision } from './aim.ts'
import { type LatestWork, needsBranch, upstreamOf } from './latest-work.ts'
import { said, short } from './report.ts'

export interface Standing {
  head: string | null
  branch: string | null
  branches: string[]
  tags: string[]
  /** The commit and branch to update. */
  base: string | null
  baseBranch: string | null
  /** URL of the remote; null if the remote does not exist. */
  fetchUrl: string | null
  matches: boolean
  dirty: boolean
  /** Whether the checkout has the commit. */
  hasCommit: boolean
  /** Whether a fast-forward is possible; null when that is not known yet. */
  fastForward: boolean | null
  upstream: string | false | null
}

const isReport = (value: object): value is StateReturn => 'result' in value

/** Return the facts of a checkout, or a report when the state ends here. */
export async function survey(work: LatestWork): Promise<Standing | StateReturn> {
  const { options, report, checkout, aim, bare } = work
  const branches = await checkout.branches()
  const tags = await checkout.tags()
  const head = await checkout.revision()
  const branch = await checkout.branch()
  if (!bare && aim.commit === null && head !== null) {
    return report.failed('Remote repository is empty, cannot update from a non-empty to an empty repository')
  }
  const base = await baseOf(work, { head, branch, branches })
  if (isReport(base)) return base
  const remote = (await checkout.remotes()).get(work.remote)
  const matches = sameRevision(head, aim.commit, aim.type)
  const dirty = !bare && (await hasChanges(work))
  if (dirty && matches) {
    const ended = whenDirty(work)
    if (ended) return ended
  }
  const fetchUrl = remote instanceof Map ? str(remote.get('fetch') ?? null) : null
  const found = await findCommit(work, base.commit, tags, fetchUrl !== null)
  if (typeof found !== 'boolean') return found
  let fastForward: boolean | null = dirty && options.force_reset !== 'remote-changes' ? false : null
  if (found) {
    if (!matches && staysBehind(work, branch)) return report.end(true, behind(work, head))
    fastForward ??= base.commit === null || (await isAncestor(work, base.commit))
  }
  return {
    head,
    branch,
    branches,
    tags,
    base: base.commit,
    baseBranch: base.branch,
    fetchUrl,
    matches,
    dirty,
    hasCommit: found,
    fastForward,
    upstream: await upstreamOf(checkout, base.branch),
  }
}

async function hasChanges({ ctx, checkout }: LatestWork): Promise<boolean> {
  try {
    return (await checkout.text('diff', ['HEAD'])) !== ''
  } catch (error) {
    if (!isFailure(error)) throw error
    ctx.log('warning', `git.latest: Unable to determine if ${checkout.target} has local changes`)
    return false
  }
}

interface Place {
  head: string | null
  branch: string | null
  branches: string[]
}

async function baseOf(
  { report, checkout, aim, branch }: LatestWork,
  place: Place,
): Promise<{ commit: string | null; branch: string | null } | StateReturn> {
  if (!needsBranch(branch, place.branch)) return { commit: place.head, branch: place.branch }
  if (!place.branches.includes(branch)) return { commit: aim.commit, branch: place.branch }
  try {
    const commit = await checkout.text('rev_parse', [`${branch}^{commit}`], { ignore_retcode: true })
    return { commit, branch }
  } catch (error) {
    if (!isFailure(error)) throw error
    return report.failed(`Unable to get position of local branch '${branch}': ${said(error)}`)
  }
}

function whenDirty({ ctx, options, report, checkout }: LatestWork): StateReturn | null {
  if (options.force_reset !== true) return report.upToDate(checkout.target, [], true)
  if (!ctx.test) return null
  report.changes.set('forced update', true)
  return report.foreseen(
    `${checkout.target} is up-to-date, but with uncommitted changes. Since 'force_reset' is set to True, these local changes would be reset. To only reset when there are changes in the remote repository, set 'force_reset' to 'remote-changes'.`,
  )
}

/** Return whether the checkout has the commit under the name of the revision. */
async function findCommit(
  { options, report, checkout, aim }: LatestWork,
  base: string | null,
  tags: readonly string[],
  hasRemote: boolean,
): Promise<boolean | StateReturn> {
  const { commit, type, rev } = aim
  if (commit === null) return false
  if (type === 'sha1' && base?.startsWith(commit)) return true
  if ((await checkout.ask('rev_parse', [`${commit}^{commit}`])) === null) return false
  if (type === 'branch') return hasRemote && (await checkout.ask('rev_parse', [aim.upstream as string])) === commit
  if (type === 'sha1') return true
  if (!tags.includes(rev)) return false
  const local = await checkout.ask('rev_parse', [`${rev}^{commit}`])
  if (local === commit) return true
  if (truthy(options.force_reset)) return false
  return report.failed(
    `'${rev}' is a tag, but the remote SHA1 for this tag (${short(commit)}) doesn't match the local SHA1 (${short(local)}). Set 'force_reset' to True to force this update.`,
  )
}

export const staysBehind = ({ options, branch }: LatestWork, current: string | null): boolean =>
  !options.update_head && !needsBranch(branch, current)

export function behind({ aim }: LatestWork, head: string | null): string {
  const { location } = aim
  const subject = aim.rev === 'HEAD' ? `${location[0]!.toUpperCase()}${location.slice(1).toLowerCase()}` : location
  return `${subject} is already present and local HEAD (${short(head)}) does not match, but update_head=False. HEAD has not been updated locally.`
}

export async function isAncestor({ checkout, aim }: LatestWork, base: string): Promise<boolean> {
  const answer = await checkout.call('merge_base', [], {
    refs: [base, aim.commit!],
    is_ancestor: true,
    ignore_retcode: true,
  })
  return answer === true
}

export function notFastForward(work: LatestWork, { base, branch: current, dirty }: Standing): StateReturn {
  const { aim, branch, report } = work
  const [before, after] = [short(base), short(aim.commit)]
  const move = dirty && before !== after ? `from ${before} to ${after}` : `to ${after}`
  const checkout = needsBranch(branch, current) ? ` (after checking out local branch '${branch}')` : ''
  const why = dirty ? 'there are uncommitted changes' : 'this is not a fast-forward merge'
  const or = dirty ? " (or 'remote-changes')" : ''
  const and = dirty ? ' and discard these changes' : ''
  return report.failed(
    `Repository would be updated ${move}${checkout}, but ${why}. Set 'force_reset' to True${or} to force this update${and}.${hint(work, current)}`,
  )
}

function hint({ aim, branch }: LatestWork, current: string | null): string {
  const { rev, defaultBranch } = aim
  if (branch !== null) return ''
  if (rev !== 'HEAD') {
    if (current === rev) return ''
    return ` The desired rev (${rev}) differs from the name of the local branch (${current ?? 'None'}), if the desired rev is a branch name then a forced update could possibly be avoided by setting the 'branch' argument to '${rev}' instead.`
  }
  if (defaultBranch === null || current === defaultBranch) return ''
  return ` The default remote branch (${defaultBranch}) differs from the local branch (${current ?? 'None'}). This could be caused by changing the default remote branch, or if the local branch was manually changed. Rather than forcing an update, it may be advisable to set the 'branch' argument to '${defaultBranch}' instead. To ensure that this state follows the '${defaultBranch}' branch instead of the remote HEAD, set the 'rev' argument to '${defaultBranch}'.`
}

export const revisionChange = (before: string | null, after: string | null): Dict =>
  dictFrom({ old: before, new: after })

/** Throw the error of Salt, which redacts a URL that does not exist. */
export function knownUrl(url: string | null): string {
  if (url === null) throw new PyError('TypeError', "expected string or bytes-like object, got 'NoneType'")
  return url
}
