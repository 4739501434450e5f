// Targets: evaluated by the minion itself and by its master (fleet.ts), and the connected minions.
export { addressesIn, connectedAddresses, connectedMinions, goneMinions } from './connected.ts'
export { matchFleet } from './fleet.ts'
export type { Fleet, Targeted } from './fleet-query.ts'
export { match, matchers } from './match.ts'
export { expandNodegroup, publishedTarget } from './nodegroup.ts'
export type { Matcher, MatchOptions, MatchSubject } from './subject.ts'
export { parseTarget, type Target } from './target.ts'
export { type MinionKnowledge, resolveCertain, resolveTarget } from './targets.ts'
