// Data and decisions that the steps of git.latest share.
import type { StateContext } from '../../../../sdk/mod.ts'
import type { Aim } from './aim.ts'
import type { LatestOptions } from './arguments.ts'
import type { Checkout } from './checkout.ts'
import type { Report } from './report.ts'

export interface LatestWork {
  ctx: StateContext
  options: LatestOptions
  report: Report
  checkout: Checkout
  aim: Aim
  bare: boolean
  branch: string | null
  remote: string
  /** URL with user name and password. */
  url: string
  /** URL without the password, for reports. */
  shownUrl: string
}

/** A change of the tracked branch. */
export interface Tracking {
  opts: string[] | null
  done: string
}

interface TrackingFacts {
  held: string | false | null
  branch: string | null
  branches: readonly string[]
}

export function trackingChange({ upstream }: Aim, { held, branch, branches }: TrackingFacts): Tracking | undefined {
  if (held && upstream === false) return { opts: ['--unset-upstream'], done: 'Tracking branch was unset' }
  if (!upstream || held === upstream) return undefined
  // a branch that does not exist yet is created with its upstream
  const opts = branch !== null && !branches.includes(branch) ? null : ['--set-upstream-to', upstream]
  return { opts, done: `Tracking branch was ${held ? 'updated' : 'set'} to ${upstream}` }
}

/** Return the branch that a branch tracks; false when it tracks none. */
export async function upstreamOf(checkout: Checkout, branch: string | null): Promise<string | false | null> {
  if (branch === null) return null
  return (await checkout.ask('rev_parse', [`${branch}@{upstream}`], { opts: ['--abbrev-ref'] })) ?? false
}

export const needsBranch = (branch: string | null, current: string | null): branch is string =>
  branch !== null && branch !== current

/** Return the revision that a new branch starts from. */
export function startOf({ rev, commit, upstream }: Aim): string {
  return rev === 'HEAD' ? commit! : upstream || rev
}
