// The functions of the minion on the master's machine, for one call.
import type { Registry } from '../loader/mod.ts'
import type { FunctionContext, MasterReach } from '../sdk/mod.ts'

/** The same functions for one call, with the master as that call reaches it. */
export function reaching(functions: Registry, master: MasterReach): Registry {
  const memory: FunctionContext['memory'] = new Map()
  return functions.with({ master, memory })
}
