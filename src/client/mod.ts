// How programs on the master's machine have things done: jobs of minions, and the master's own functions.

export type { Targeted } from '../match/mod.ts'
export { batchSize } from './batch-size.ts'
export {
  type CollectOptions,
  collectReturns,
  type EventSource,
  type Gathered,
  NOBODY_MATCHED,
  type Published,
  recovered,
} from './collect.ts'
export { goneMinions } from './connected.ts'
export { ClientError } from './errors.ts'
export { JobHints, type ToldHint } from './hints.ts'
export { isOfOurClient, LocalClient, type PublishRequest } from './local-client.ts'
export { localKey } from './local-key.ts'
export { type MasterCall, type MasterCallResult, refreshFunctions, runMasterFunction } from './master-call.ts'
export { journalOf, type MasterAccess, masterContext, runners, wheels } from './master-context.ts'
export { type MinionPillarRequest, minionPillar, minionPillarOrigins } from './minion-pillar.ts'
export { tellNotBegun } from './not-begun.ts'
export { connectedMinions } from './presence.ts'
export { returnCode } from './return-code.ts'
export { handReturn, handScheduled, handTo, returnerNames, returnerOf } from './returning.ts'
export { requestOf, socketAccess } from './socket-access.ts'
export { type MinionKnowledge, resolveCertain, resolveTarget } from './targets.ts'
