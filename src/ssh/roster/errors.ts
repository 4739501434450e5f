// Failures of rosters, and of entries and targets that cannot be used.
import { BrineError } from '../../base/mod.ts'

/**
 * `RosterMissing`: a file or directory is absent. `RosterUnreadable`: it cannot be read, or its server does not answer.
 * `RosterBroken`: it holds something else than a roster. `InvalidTarget`: the expression cannot be matched.
 * `InvalidEntry`: a target has settings that cannot be used.
 */
export type RosterErrorCode = 'RosterMissing' | 'RosterUnreadable' | 'RosterBroken' | 'InvalidTarget' | 'InvalidEntry'

export class RosterError extends BrineError<RosterErrorCode> {}
