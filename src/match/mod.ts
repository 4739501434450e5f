// Targets: evaluated by the minion itself and by its master (fleet.ts), and the connected minions.
import { PyError, quote, type Value } from '../data/mod.ts'
import { data, grain, grainPcre, pillar, pillarExact, pillarPcre, resource } from './by-data.ts'
import { glob, list, managingMinion, pcre } from './by-id.ts'
import { compound, nodegroup } from './compound.ts'
import { ipcidr } from './ipcidr.ts'
import type { Matcher, MatchOptions, MatchSubject } from './subject.ts'

export { addressesIn, connectedAddresses, connectedMinions, goneMinions } from './connected.ts'
export { matchFleet } from './fleet.ts'
export type { Fleet, Targeted } from './fleet-query.ts'
export { expandNodegroup, publishedTarget } from './nodegroup.ts'
export type { Matcher, MatchOptions, MatchSubject } from './subject.ts'
export { parseTarget, type Target } from './target.ts'
export { type MinionKnowledge, resolveCertain, resolveTarget } from './targets.ts'

/** Matchers by `tgt_type`, in the names of the command line, top files and the wire. */
export const matchers: ReadonlyMap<string, Matcher> = new Map([
  ['glob', glob],
  ['pcre', pcre],
  ['list', list],
  ['grain', grain],
  ['grain_pcre', grainPcre],
  ['pillar', pillar],
  ['pillar_pcre', pillarPcre],
  ['pillar_exact', pillarExact],
  ['data', data],
  ['ipcidr', ipcidr],
  ['compound', compound],
  ['nodegroup', nodegroup],
  ['resource', resource],
  ['managing_minion', managingMinion],
])

/** Run the matcher of this name; throw Salt's KeyError for an unknown name. */
export function match(kind: string, target: Value, subject: MatchSubject, options?: MatchOptions): Value {
  const matcher = matchers.get(kind)
  if (matcher === undefined) throw new PyError('KeyError', quote(`${kind}_match.match`))
  return matcher(target, subject, options)
}
