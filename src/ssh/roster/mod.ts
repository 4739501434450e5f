// Rosters: which machines salt-ssh knows, which of them a target means, and how each is reached.
export type { RosterRequest } from './backend.ts'
export { directTarget } from './direct.ts'
export { hostOf, ROSTER_KEYS, type RosterEntry } from './entry.ts'
export { RosterError, type RosterErrorCode } from './errors.ts'
export { AGENT_FORWARDING, defaultKey, ensureDefaultKey } from './key.ts'
export { rosterHosts, rosterTargets } from './roster.ts'
export { sshTarget } from './target.ts'
export { addToRoster } from './update.ts'
