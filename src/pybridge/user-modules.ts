// Users' own execution modules and states, for a registry.
import { option } from '../config/mod.ts'
import { type Dict, isDict } from '../data/mod.ts'
import type { ModuleEntry, Registry, StateEntry, UserTables } from '../loader/mod.ts'
import { installedExtensions, type ModuleFile } from '../python/mod.ts'
import type { ModuleDeclaration, StateDeclaration } from '../sdk/mod.ts'
import { familyFiles } from './family-files.ts'
import { functionModules } from './function-modules.ts'
import { nativeEntries } from './native-entries.ts'
import { overlaid } from './overlay.ts'
import { stateEntry, stateModules } from './state-modules.ts'

/** For `RegistryContext.userModules`; without any, this costs the listing of a few folders. */
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
  if (host.remote) {
    const wrappers = wrapperFiles(opts)
    const others = modules.python.filter(({ name }) => !wrappers.some((wrapper) => wrapper.name === name))
    modules.python = [...others, ...wrappers]
  }
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

/**
 * Return modules for targets of salt-ssh, which replace execution modules with their names: those that the master
 * synchronised, and those of extensions. They run on this side, over functions bound to the target.
 */
function wrapperFiles(opts: Dict): ModuleFile[] {
  const master = opts.get('__master_opts__') ?? null
  const files = familyFiles(isDict(master) ? master : opts, 'wrapper').python
  return files.flatMap((file) => (file.extension ? [file] : isDict(master) ? [{ ...file, isHere: true }] : []))
}
