// Functions on machines without minions, over SSH, as runner functions and orchestration ask for them.
import type { Dict, Value } from '../data/mod.ts'

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
  /** Options of salt-ssh in place of those of the master, such as `roster` and `ssh_user`. */
  options?: Dict
  /** The user in whose name the job is kept; the master's owner unless given. */
  user?: string
  /** The function and its arguments are a command line for the shell of the target. */
  isRaw?: boolean
  /** Arguments are values: no text is read as YAML once more. */
  isLiteral?: boolean
  /** The job `jid` is in the job store already, and was told of. */
  isPublished?: boolean
  /** A host that only the target names is not meant. */
  isInRoster?: boolean
  /** The caller has not the rights of the master's owner: options that reach files and programs of the master are not taken. */
  isFromOutside?: boolean
}

/** What one target answered. */
export interface SshReturn {
  id: string
  /** `return`, `retcode`, `jid` …; `stderr`, `_error` … of a call that failed; a text where there is nothing else. */
  answer: Value
  retcode: number
}

export interface SshJobs {
  /** Run a function on targets of the rosters, and yield what they answer, as it comes; nothing when the target means nobody. */
  ssh(call: SshCall): AsyncIterable<SshReturn>
}
