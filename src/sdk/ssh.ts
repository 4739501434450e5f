// Functions on machines without minions, over SSH, for runner functions and orchestration.
import type { Dict, Value } from '../data/mod.ts'

/** Return whether these are the options of a target without a minion, whose functions run on the controller. */
export const isSshTarget = (opts: ReadonlyMap<Value, Value>): boolean => opts.has('__master_opts__')

export interface SshCall {
  tgt: Value
  tgtType?: string
  fun: string
  /** Texts are read as on a command line. */
  arg?: readonly Value[]
  kwarg?: Dict
  jid?: string
  /** Seconds that the connection to a target may take, besides `ssh_timeout`. */
  timeout?: number
  /** Options of salt-ssh that replace those of the master, such as `roster` and `ssh_user`. */
  options?: Dict
  /** The user of the job. Default: the master's owner. */
  user?: string
  /** The function and its arguments are a command line for the shell of the target. */
  isRaw?: boolean
  /** Arguments are values: no text is read as YAML once more. */
  isLiteral?: boolean
  /** Whether the job `jid` is already in the job store and its event was fired. */
  isPublished?: boolean
  /** Whether the target must be in a roster; a host that only the target names is then ignored. */
  isInRoster?: boolean
  /** The caller has not the rights of the master's owner: options that reach files and programs of the master are not taken. */
  isFromOutside?: boolean
}

/** The result of one target. */
export interface SshReturn {
  id: string
  /** A dict with `return`, `retcode`, `jid` …, for a failed call also `stderr`, `_error` …; or only a text. */
  answer: Value
  retcode: number
}

export interface SshJobs {
  /**
   * Run a function on targets of the rosters, and yield their results as they arrive; yield nothing if the target
   * matches nothing.
   */
  ssh(call: SshCall): AsyncIterable<SshReturn>
}
