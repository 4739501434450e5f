// What jobs on targets without minions are given.
import type { Log } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import type { FunctionContext, MasterStores } from '../sdk/mod.ts'

export interface SshParts {
  /** The master's options, with those of the program laid over them. */
  opts: Dict
  log: Log
  stores: Pick<MasterStores, 'jobs' | 'cache'>
  /** Fires an event on the bus of the master; rejects when there is no master. */
  fire: (tag: string, data: Dict) => Promise<void>
  /** Ends what runs on the targets. */
  signal?: AbortSignal
  hint?: (id: string, hint: Parameters<FunctionContext['hint']>[0]) => void
  /** Hears what a target is doing. */
  progress?: (id: string, doing: SshProgress) => void
}

export type SshProgress = 'connecting' | 'running' | 'done'
