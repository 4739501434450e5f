// The functions of a target: those of the library, under functions that Salt has for targets without minions only.
import { type ModuleTable, moduleTable } from '../../loader/mod.ts'
import type { NestedCalls } from '../nested.ts'

export function sessionTable(nested: NestedCalls): ModuleTable {
  const mine = {
    functions: ['get'],
    load: async () => ({ default: (await import('./mine.ts')).mineWrapper(nested) }),
  }
  const publish = {
    functions: ['publish', 'full_data', 'runner'],
    load: async () => ({ default: (await import('./publish.ts')).publishWrapper(nested) }),
  }
  const grains = {
    functions: ['item'],
    load: async () => ({ default: (await import('./grains.ts')).grainsWrapper() }),
  }
  const state = {
    functions: ['low'],
    load: async () => ({ default: (await import('./state.ts')).stateWrapper() }),
  }
  return {
    ...moduleTable,
    grains: [grains, ...(moduleTable.grains ?? [])],
    mine: [mine, ...(moduleTable.mine ?? [])],
    publish: [publish, ...(moduleTable.publish ?? [])],
    state: [state, ...(moduleTable.state ?? [])],
  }
}
