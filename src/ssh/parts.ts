// What jobs on targets without minions are given.
import type { Log } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import type { MasterAccess } from '../runner/mod.ts'
import type { FunctionContext, MasterStores } from '../sdk/mod.ts'
import type { SshAnswer } from './answer.ts'

export interface SshParts {
  /** The master's options, with those of the program laid over them. */
  opts: Dict
  log: Log
  stores: Pick<MasterStores, 'jobs' | 'cache' | 'keys'>
  /** Fires an event on the bus of the master; rejects when there is no master. */
  fire: (tag: string, data: Dict) => Promise<void>
  /** The master beside, for what functions of targets ask of minions and of runners. */
  master?: MasterAccess
  /** Shows what a runner function returned that a target called. */
  display?: (value: Value) => Promise<void>
  /** The number of jobs of salt-ssh that this job is part of. */
  depth?: number
  /** Ends what runs on the targets. */
  signal?: AbortSignal
  hint?: (id: string, hint: Parameters<FunctionContext['hint']>[0]) => void
  /** Hears what a target is doing. */
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
  /** The job `jid` is in the job store already, and was told of. */
  isPublished?: boolean
  /** A host that only the target names is not meant. */
  isInRoster?: boolean
  user: string
}

/** A job with its number. */
export type NumberedRequest = SshJobRequest & { jid: string }

/** Runs a function on the targets that a request means, and gives all answers by id. */
export type RunSshCommand = (parts: SshParts, request: SshJobRequest) => Promise<Map<string, SshAnswer>>
