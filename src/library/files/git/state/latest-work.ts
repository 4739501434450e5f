// What the steps of git.latest share.
import type { Value } from '../../../../data/mod.ts'
import type { StateContext } from '../../../../sdk/mod.ts'
import type { Aim } from './aim.ts'
import type { Access, Checkout } from './checkout.ts'
import type { Report } from './report.ts'

export interface LatestWish extends Access {
  name: string
  target: Value
  rev: Value
  branch: Value
  update_head: boolean
  force_checkout: boolean
  force_clone: boolean
  force_fetch: boolean
  force_reset: Value
  submodules: boolean
  bare: boolean
  mirror: boolean
  remote: Value
  fetch_tags: boolean
  sync_tags: boolean
  depth: Value
  refspec_branch: Value
  refspec_tag: Value
  kwargs: Map<string, Value>
}

export interface LatestWork {
  ctx: StateContext
  wish: LatestWish
  report: Report
  checkout: Checkout
  aim: Aim
  bare: boolean
  branch: string | null
  remote: string
  /** With user and password, and without. */
  url: string
  shownUrl: string
}

/** What to do about the branch that is tracked, if anything. */
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
  // a branch that is yet to be made gets it when it is made
  const opts = branch !== null && !branches.includes(branch) ? null : ['--set-upstream-to', upstream]
  return { opts, done: `Tracking branch was ${held ? 'updated' : 'set'} to ${upstream}` }
}

/** The branch that a branch tracks; false when it tracks none. */
export async function upstreamOf(checkout: Checkout, branch: string | null): Promise<string | false | null> {
  if (branch === null) return null
  return (await checkout.ask('rev_parse', [`${branch}@{upstream}`], { opts: ['--abbrev-ref'] })) ?? false
}

export const needsBranch = (branch: string | null, current: string | null): branch is string =>
  branch !== null && branch !== current

/** Where a new branch begins. */
export function startOf({ rev, commit, upstream }: Aim): string {
  return rev === 'HEAD' ? commit! : upstream || rev
}
