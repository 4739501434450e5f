// Rosters: which machines salt-ssh knows, which of them a target means, and how each is reached.
export type { RosterRequest } from './backend.ts'
export { directTarget } from './direct.ts'
export type { RosterEntry } from './entry.ts'
export { RosterError } from './errors.ts'
export { defaultKey, ensureDefaultKey } from './key.ts'
export { rosterHosts, rosterTargets } from './roster.ts'
export { sshTarget } from './target.ts'
export { addToRoster } from './update.ts'
