// The functions of a target: those of the library, overridden by Salt's functions for targets without minions.
import { type ModuleTable, moduleTable } from '../../loader/mod.ts'
import type { NestedCalls } from '../nested.ts'

/** `fun` is the function of the job. */
export function sessionTable(nested: NestedCalls, fun: string): ModuleTable {
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
  const cp = {
    functions: ['convert_cache_path', ...(fun === 'cp.get_url' ? ['get_url'] : [])],
    load: async () => ({ default: await (await import('./cp.ts')).cpWrapper() }),
  }
  const certificates = (module: 'ssh_pki' | 'x509') => ({
    functions: ['certificate_managed_wrapper'],
    load: async () => ({ default: (await import('./certificates.ts')).certificateWrapper(module) }),
  })
  return {
    ...moduleTable,
    cp: [cp, ...(moduleTable.cp ?? [])],
    grains: [grains, ...(moduleTable.grains ?? [])],
    mine: [mine, ...(moduleTable.mine ?? [])],
    publish: [publish, ...(moduleTable.publish ?? [])],
    ssh_pki: [certificates('ssh_pki'), ...(moduleTable.ssh_pki ?? [])],
    state: [state, ...(moduleTable.state ?? [])],
    x509: [certificates('x509'), ...(moduleTable.x509 ?? [])],
  }
}
