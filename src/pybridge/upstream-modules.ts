// With `python_upstream_modules` what is lacking here comes from a real Salt that the worker's Python can import. Its modules
// stand behind ours and users' own; one is read when a function is called that only it has.
import { type Dict, str, type Value } from '../data/mod.ts'
import type { ModuleEntry, Registry, StateEntry, UserTables } from '../loader/mod.ts'
import { callPython } from '../python/mod.ts'
import { describeModules, functionScope, moduleDeclaration } from './function-modules.ts'
import { stateDeclaration } from './state-modules.ts'

interface Listed {
  path: string
  name: string
  functions: string[]
}

async function listing(registry: Registry, family: string): Promise<Listed[]> {
  const what = `the listing of Salt's ${family}`
  const found = await callPython(functionScope(registry.ctx), { method: 'upstream', params: [family], what })
  return (found as Dict[]).map((facts) => ({
    path: str(facts.get('path')!),
    name: str(facts.get('name')!),
    functions: (facts.get('functions') as Value[]).map(str),
  }))
}

type Table<Entry> = Readonly<Record<string, readonly Entry[]>>

/** A table with further entries for functions that it lacks. */
function filled<Entry extends { functions: readonly string[] }>(
  table: Table<Entry>,
  listed: readonly Listed[],
  entryOf: (path: string, functions: string[]) => Entry,
): Table<Entry> {
  const merged: Record<string, readonly Entry[]> = { ...table }
  for (const { path, name, functions } of listed) {
    const known = new Set((table[name] ?? []).flatMap((entry) => entry.functions))
    const lacking = functions.filter((fun) => !known.has(fun) && !fun.startsWith('mod_'))
    if (lacking.length > 0) merged[name] = [...(merged[name] ?? []), entryOf(path, lacking)]
  }
  return merged
}

export async function withUpstream(registry: Registry, tables: UserTables): Promise<UserTables> {
  const scope = functionScope(registry.ctx)
  const moduleEntry = (path: string, functions: string[]): ModuleEntry => ({
    functions,
    load: async () => ({ default: moduleDeclaration((await describeModules(scope, 'modules', [path]))[0]!) }),
  })
  const stateEntry = (path: string, functions: string[]): StateEntry => ({
    functions,
    load: async () => ({ default: stateDeclaration((await describeModules(scope, 'states', [path]))[0]!) }),
  })
  return {
    functions: filled(tables.functions, await listing(registry, 'modules'), moduleEntry),
    states: filled(tables.states, await listing(registry, 'states'), stateEntry),
  }
}
