// Users' own execution modules and states, for a registry.
import { option } from '../config/mod.ts'
import type { ModuleEntry, Registry, StateEntry, UserTables } from '../loader/mod.ts'
import { installedExtensions } from '../python/mod.ts'
import type { ModuleDeclaration, StateDeclaration } from '../sdk/mod.ts'
import { familyFiles } from './family-files.ts'
import { functionModules } from './function-modules.ts'
import { nativeEntries } from './native-entries.ts'
import { overlaid } from './overlay.ts'
import { stateEntry, stateModules } from './state-modules.ts'

/** For `RegistryContext.userModules`; costs the listing of a few folders where there are none. */
export async function userModules(registry: Registry, builtIn: UserTables): Promise<UserTables | undefined> {
  const own = await ownModules(registry, builtIn)
  // a real Salt beside this process is about this machine
  if (!option(registry.ctx.opts, 'python_upstream_modules') || registry.ctx.host.remote) return own
  return (await import('./upstream-modules.ts')).withUpstream(registry, own ?? builtIn)
}

async function ownModules(registry: Registry, builtIn: UserTables): Promise<UserTables | undefined> {
  const { opts, log, host } = registry.ctx
  installedExtensions(opts, log)
  const [modules, states] = [familyFiles(opts, 'modules', host.remote), familyFiles(opts, 'states', host.remote)]
  // what extensions offer for salt-ssh runs here, over functions that are bound to the target
  if (host.remote) modules.python.push(...familyFiles(opts, 'wrapper').python.filter(({ extension }) => extension))
  if ([...modules.python, ...modules.native, ...states.python, ...states.native].length === 0) return undefined
  const functions = await functionModules(registry, modules.python)
  const nativeFunctions = await nativeEntries<ModuleDeclaration, ModuleEntry>(modules.native, log, (module) => ({
    functions: Object.keys(module.functions),
    load: async () => ({ default: module }),
  }))
  const nativeStates = await nativeEntries<StateDeclaration, StateEntry>(states.native, log, stateEntry)
  return {
    functions: await overlaid(builtIn.functions, [...functions, ...nativeFunctions]),
    states: await overlaid(builtIn.states, [...(await stateModules(registry, states.python)), ...nativeStates]),
  }
}
