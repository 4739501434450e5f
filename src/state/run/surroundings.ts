// The context of a state run.
import type { Log } from '../../base/mod.ts'
import type { Dict, Value } from '../../data/mod.ts'
import type { Registry, StateRegistry } from '../../loader/mod.ts'
import type { StepMemory } from '../../sdk/mod.ts'

export interface RunSurroundings {
  opts: Dict
  grains: Dict
  pillar: Dict
  /** Execution functions, with the memory of this run. */
  functions: Registry
  states: StateRegistry
  log: Log
  jid: string | null
  /** Report each state as done without calling it. */
  mocked: boolean
  /** Fires an event. Default: there is no bus. */
  fireEvent?: ((tag: string, data: Dict) => void | Promise<void>) | undefined
  /** Stores the result of each state, so that an interrupted run can be resumed. */
  steps?: StepMemory | undefined
  /** Returns new grains or pillar, for states that request them. */
  refreshGrains?: (() => Promise<Dict>) | undefined
  refreshPillar?: (() => Promise<Dict>) | undefined
}

/** The result of one state, with Salt's keys. */
export type StateRet = Dict

export const resultDict = (entries: Iterable<readonly [string, Value]>): Dict => new Map<Value, Value>(entries)
