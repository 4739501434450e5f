// With `python_upstream_modules`, missing modules come from a real Salt that the worker's Python can import. Its
// modules follow built-in and users' own ones; one is read when a function is called that only it has.
import type { MasterEntry, ModuleEntry, Registry, StateEntry, UserTables } from '../loader/mod.ts'
import { type FamilyName, type Scope, upstreamFiles } from '../python/mod.ts'
import type { MasterModule } from '../sdk/mod.ts'
import type { ModuleFacts } from './declare.ts'
import { functionScope, listedEntries, moduleDeclaration } from './function-modules.ts'
import { stateDeclaration } from './state-modules.ts'

type Table<Entry> = Readonly<Record<string, readonly Entry[]>>

/** A table with further entries for functions that it lacks. */
export function filledTable<Entry extends { functions: readonly string[] }>(
  table: Table<Entry>,
  scope: Scope,
  family: FamilyName,
  entryOf: (functions: readonly string[], load: () => Promise<ModuleFacts>) => Entry,
): Table<Entry> {
  const merged: Record<string, readonly Entry[]> = { ...table }
  for (const file of upstreamFiles(scope.opts, family)) {
    const listed = listedEntries(scope, family, file, ({ functions }, load) => ({ functions, load }))
    for (const { name, entry } of listed) {
      const known = new Set((table[name] ?? []).flatMap(({ functions }) => functions))
      const lacking = entry.functions.filter((fun) => !known.has(fun) && !fun.startsWith('mod_'))
      if (lacking.length > 0) merged[name] = [...(merged[name] ?? []), entryOf(lacking, entry.load)]
    }
  }
  return merged
}

const moduleEntry = (functions: readonly string[], load: () => Promise<ModuleFacts>): ModuleEntry => ({
  functions,
  load: async () => ({ default: moduleDeclaration(await load()) }),
})

const stateEntry = (functions: readonly string[], load: () => Promise<ModuleFacts>): StateEntry => ({
  functions,
  load: async () => ({ default: stateDeclaration(await load()) }),
})

export function withUpstream(registry: Registry, tables: UserTables): UserTables {
  const scope = functionScope(registry.ctx)
  return {
    functions: filledTable(tables.functions, scope, 'modules', moduleEntry),
    states: filledTable(tables.states, scope, 'states', stateEntry),
  }
}

/** Return runners or wheel functions, including missing ones from a real Salt. */
export const masterUpstream = (
  table: Table<MasterEntry>,
  scope: Scope,
  family: 'runners' | 'wheel',
  moduleOf: (facts: ModuleFacts) => MasterModule,
): Table<MasterEntry> =>
  filledTable(table, scope, family, (functions, load) => ({
    functions,
    load: async () => ({ default: moduleOf(await load()) }),
  }))
