// Users' own modules over the built-in ones. A file replaces the built-in module of the same file name; one that only
// serves under the same name is asked after the built-in file that carries that name, and before any other.

import type { Dict } from '../data/mod.ts'
import type { Registry, UserTables } from '../loader/mod.ts'
import { type FamilyName, moduleFiles } from './folders.ts'
import { functionModules, type UserEntry } from './function-modules.ts'
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

interface Loadable {
  load: () => Promise<{ default: { name: string } }>
}

type Table<Entry> = Readonly<Record<string, readonly Entry[]>>

async function overlaid<Entry extends Loadable>(table: Table<Entry>, own: UserEntry<Entry>[]): Promise<Table<Entry>> {
  const merged: Record<string, readonly Entry[]> = { ...table }
  for (const { file, name, entry } of own) {
    const present = merged[name] ?? []
    const named = await Promise.all(present.map(async (other) => ({ other, file: (await other.load()).default.name })))
    const kept = named.filter((other) => other.file !== file)
    const first = file === name ? [] : kept.filter((other) => other.file === name)
    const rest = kept.filter((other) => !first.includes(other))
    merged[name] = [...first.map(({ other }) => other), entry, ...rest.map(({ other }) => other)]
  }
  return merged
}
