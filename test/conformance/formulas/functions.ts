// The functions that exist while a formula is compiled (cases/formulas/stubs.json): some real, some with fixed answers.
import { fnmatch, fromPlain, str, type Value } from '../../../src/data/mod.ts'
import {
  type ModuleEntry,
  type ModuleTable,
  moduleTable,
  type StateEntry,
  type StateTable,
} from '../../../src/loader/mod.ts'
import { arg, defineModule, defineState, reads, state } from '../../../src/sdk/mod.ts'
import type { Json } from '../area.ts'

interface Stub {
  return: Json
  cases?: Array<{ arg0: string; return: Json }>
}

export interface Stubs {
  real: string[]
  stubs: Record<string, Stub>
  states: { mod_watch: string[]; mod_aggregate: string[] }
}

const split = (name: string): [string, string] => name.split('.', 2) as [string, string]

function answer(stub: Stub, args: readonly Value[]): Value {
  const special = args.length > 0 ? stub.cases?.find(({ arg0 }) => fnmatch(str(args[0]!), arg0)) : undefined
  return fromPlain((special ?? stub).return)
}

function stubbed(module: string, functions: Array<[string, Stub]>): ModuleEntry {
  const declared = functions.map(([fun, stub]) => [
    fun,
    reads({
      doc: 'Gives a fixed answer.',
      args: { args: arg.rest('Any'), kwargs: arg.open('Any') },
      run: (_ctx, { args }) => answer(stub, args as Value[]),
    }),
  ])
  const declaration = defineModule({ name: module, doc: 'Fixed answers.', functions: Object.fromEntries(declared) })
  return { functions: functions.map(([fun]) => fun), load: async () => ({ default: declaration }) }
}

/** Return the real functions that count as available; `state` compiles and is not used by formulas. */
function realEntries(module: string, real: readonly string[]): ModuleEntry[] {
  const isReal = (fun: string): boolean =>
    module === 'state' || real.includes(`${module}.*`) || real.includes(`${module}.${fun}`)
  return (moduleTable[module] ?? [])
    .map((entry) => ({ ...entry, functions: entry.functions.filter(isReal) }))
    .filter((entry) => entry.functions.length > 0)
}

/** A module that is partly real and partly stubbed answers as one. */
function joined(entries: ModuleEntry[]): ModuleEntry {
  return {
    functions: entries.flatMap((entry) => entry.functions),
    load: async () => {
      const loaded = await Promise.all(entries.map(async (entry) => [entry, (await entry.load()).default] as const))
      const functions = loaded.flatMap(([entry, declaration]) =>
        entry.functions.map((fun) => [fun, declaration.functions[fun]!] as const),
      )
      return { default: { ...loaded[0]![1], functions: Object.fromEntries(functions) } }
    },
  }
}

export function formulaFunctions({ real, stubs }: Stubs): ModuleTable {
  const byModule = new Map<string, Array<[string, Stub]>>()
  for (const [name, stub] of Object.entries(stubs)) {
    const [module, fun] = split(name)
    byModule.set(module, [...(byModule.get(module) ?? []), [fun, stub]])
  }
  const table: Record<string, ModuleEntry[]> = {}
  for (const module of new Set([...Object.keys(moduleTable), ...byModule.keys()])) {
    const stubsOf = byModule.get(module)
    const entries = [...realEntries(module, real), ...(stubsOf ? [stubbed(module, stubsOf)] : [])]
    if (entries.length > 0) table[module] = [joined(entries)]
  }
  return table
}

/** State modules as compiling asks for them: which hooks they have, and nothing else. */
export function formulaStates({ states }: Stubs): StateTable {
  const neverRun = (): never => {
    throw new Error('Formulas are compiled here, not run')
  }
  const table: Record<string, StateEntry[]> = {}
  for (const module of new Set([...states.mod_watch, ...states.mod_aggregate])) {
    const watches = states.mod_watch.includes(module)
    const watch = state({ doc: 'Never run.', args: { kwargs: arg.open('Any') }, run: neverRun })
    const declaration = defineState({
      name: module,
      doc: 'Only its hooks.',
      functions: watches ? { mod_watch: watch } : {},
      ...(states.mod_aggregate.includes(module) && { modAggregate: neverRun }),
    })
    table[module] = [{ functions: Object.keys(declaration.functions), load: async () => ({ default: declaration }) }]
  }
  return table
}
