// Users' own execution modules and states, for a registry.

import type { Dict } from '../data/mod.ts'
import type { Registry, UserTables } from '../loader/mod.ts'
import { type FamilyName, moduleFiles } from './folders.ts'
import { functionModules } from './function-modules.ts'
import { overlaid } from './overlay.ts'
import { stateModules } from './state-modules.ts'

/** For `RegistryContext.userModules`; costs the listing of a few folders where there are none. */
export async function userModules(registry: Registry, builtIn: UserTables): Promise<UserTables | undefined> {
  const { opts } = registry.ctx
  const [modules, states] = [pythonFiles(opts, 'modules'), pythonFiles(opts, 'states')]
  if (modules.length === 0 && states.length === 0) return undefined
  return {
    functions: await overlaid(builtIn.functions, await functionModules(registry, modules)),
    states: await overlaid(builtIn.states, await stateModules(registry, states)),
  }
}

const pythonFiles = (opts: Dict, family: FamilyName): string[] =>
  moduleFiles(opts, family)
    .filter(({ language }) => language === 'python')
    .map(({ path }) => path)
