// The dry run of git.latest for an existing checkout.
import { redactUrl } from '../../../../data/mod.ts'
import type { StateReturn } from '../../../../sdk/mod.ts'
import { knownUrl, revisionChange, type Standing } from './latest-survey.ts'
import { type LatestWork, needsBranch } from './latest-work.ts'
import { sentences, short } from './report.ts'

export function foresee(work: LatestWork, standing: Standing): StateReturn {
  const { report, checkout, aim, bare } = work
  if (aim.commit !== null) {
    return work.url === standing.fetchUrl ? foreseeUpdate(work, standing) : foreseeRemote(work, standing)
  }
  if (!bare) return report.upToDate(checkout.target)
  // as in Salt, the letters of this sentence are joined
  return report.upToDate(checkout.target, [...`Bare repository at ${checkout.target} would be fetched`])
}

const action = ({ fastForward }: Standing): string =>
  fastForward === null ? 'updated' : fastForward ? 'fast-forwarded' : 'hard-reset'

function foreseeRemote(work: LatestWork, standing: Standing): StateReturn {
  const { options, report, aim, remote } = work
  const before = redactUrl(knownUrl(standing.fetchUrl))
  const actions = [`Remote '${remote}' would be changed from ${before} to ${work.shownUrl}`]
  if (!standing.hasCommit) actions.push('Remote would be fetched')
  if (!standing.matches && options.update_head) {
    report.changes.set('revision', revisionChange(standing.head, aim.commit))
    if (standing.fastForward === false) report.changes.set('forced update', true)
    actions.push(`Repository would be ${action(standing)} to ${short(aim.commit)}`)
  }
  return concluded(work, standing, actions)
}

function concluded({ options, report, checkout }: LatestWork, standing: Standing, actions: string[]): StateReturn {
  if (report.changed) return report.foreseen(sentences(actions))
  if (!standing.matches && !options.update_head && actions.length > 0) return report.end(true, sentences(actions))
  return report.upToDate(checkout.target, actions)
}

function foreseeUpdate(work: LatestWork, standing: Standing): StateReturn {
  const { options, report, aim, branch, remote } = work
  const { head, matches, upstream } = standing
  const actions: string[] = []
  if (!standing.hasCommit) actions.push(`Remote '${remote}' would be fetched`)
  const switches = needsBranch(branch, standing.branch)
  if (!matches && (options.update_head || switches)) {
    report.changes.set('revision', revisionChange(head, aim.commit))
  }
  if (switches) actions.push(...foreseeBranch(work, standing, branch))
  else if (!matches) actions.push(foreseeMove(work, standing))
  if (!upstream && aim.upstream) actions.push(`Tracking branch would be set to ${aim.upstream}`)
  else if (upstream && aim.upstream === false) actions.push('Tracking branch would be unset')
  else if (aim.upstream && upstream !== aim.upstream) {
    actions.push(`Tracking branch would be updated to ${aim.upstream}`)
  }
  return concluded(work, standing, actions)
}

function foreseeBranch({ aim }: LatestWork, standing: Standing, branch: string): string[] {
  if (standing.branches.includes(branch)) {
    return [`Branch '${branch}' would be checked out and ${action(standing)} to ${short(aim.commit)}`]
  }
  const tracking = aim.upstream ? [`Tracking branch would be set to ${aim.upstream}`] : []
  return [`New branch '${branch}' would be checked out, with ${aim.location} as a starting point`, ...tracking]
}

function foreseeMove({ options, aim }: LatestWork, { head, fastForward, hasCommit }: Standing): string {
  const [before, after] = [short(head), short(aim.commit)]
  if (!options.update_head) {
    return `Local HEAD (${before}) does not match ${aim.location} but update_head=False, HEAD would not be updated locally`
  }
  if (fastForward === true) return `Repository would be fast-forwarded from ${before} to ${after}`
  const verb = options.force_reset !== false && hasCommit ? 'hard-reset' : 'updated'
  return `Repository would be ${verb} from ${before} to ${after}`
}
