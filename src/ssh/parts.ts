// The context of jobs on targets without minions.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { FunctionContext, MasterStores } from '../sdk/mod.ts'
import type { SshAnswer } from './answer.ts'

export interface SshParts {
  /** The master's options, overridden by those of the program. */
  opts: Dict
  log: Log
  stores: Pick<MasterStores, 'jobs' | 'cache' | 'keys'>
  /** Fire an event on the bus of the master; rejects without a master. */
  fire: (tag: string, data: Dict) => Promise<void>
  /** The master on this machine, for requests of targets' functions to minions and runners. */
  master?: MasterAccess
  /** Print the result of a runner function that a target called. */
  display?: (value: Value) => Promise<void>
  /** The number of jobs of salt-ssh that this job is part of. */
  depth?: number
  /** Aborts the commands on the targets. */
  signal?: AbortSignal
  hint?: (id: string, hint: Parameters<FunctionContext['hint']>[0]) => void
  /** Receives the current step of a target. */
  progress?: (id: string, doing: SshProgress) => void
}

export type SshProgress = 'connecting' | 'running' | 'done'

export interface SshJobRequest {
  tgt: Value
  tgtType: string
  fun: string
  /** As on a command line: `name=value` is a keyword. */
  words: readonly Value[]
  noParse?: readonly Value[]
  /** The function is a name of the mine: `mine_functions` says which function is called. */
  isMine?: boolean
  /** The command of `-r`, in place of a function. */
  raw?: string
  jid?: string
  /** Whether the job `jid` is already in the job store and its event was fired. */
  isPublished?: boolean
  /** Whether the target must be in a roster; a host that only the target names is then ignored. */
  isInRoster?: boolean
  /** The caller has not the rights of the master's owner. */
  isFromOutside?: boolean
  user: string
}

/** A job with its number. */
export type NumberedRequest = SshJobRequest & { jid: string }

/** Runs a function on the targets that a request means, and gives all answers by id. */
export type RunSshCommand = (parts: SshParts, request: SshJobRequest) => Promise<Map<string, SshAnswer>>
