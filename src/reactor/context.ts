// The context of a reactor: the files, templates and functions of its daemon and, on a master, the master itself.
import { BrineError } from '../base/mod.ts'
import type { MasterContext, MinionJobs } from '../sdk/mod.ts'

/** The daemon of the reactor: a master or a minion. */
export type ReactorContext = Pick<MasterContext, 'opts' | 'log' | 'files' | 'function' | 'render'>

/** The master of the reactor: jobs for minions, runner and wheel functions, and the record of both. */
export interface ReactorMaster
  extends Pick<MinionJobs, 'run' | 'publish' | 'targets'>,
    Pick<MasterContext, 'jobs' | 'orchestrations'> {}

/** Return the error of a reaction that needs a master, on a minion. */
export const noMaster = (): BrineError =>
  new BrineError('NoMaster', 'A minion can only call its own functions (caller)')
