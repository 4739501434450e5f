// The existing functions and states: those of the library, and those of the site's own modules.
import { didYouMean } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { absence, moduleTable, runnerTable, stateTable, wheelTable } from '../loader/mod.ts'
import type { FamilyName } from '../python/mod.ts'
import type { Site } from './site/site.ts'

export type FunctionKind = 'function' | 'state' | 'runner' | 'wheel'

type Table = Readonly<Record<string, ReadonlyArray<{ functions: readonly string[]; hooks?: readonly string[] }>>>

const TABLES: Readonly<Record<FunctionKind, { table: Table; family: FamilyName }>> = {
  function: { table: moduleTable, family: 'modules' },
  state: { table: stateTable, family: 'states' },
  runner: { table: runnerTable, family: 'runners' },
  wheel: { table: wheelTable, family: 'wheel' },
}

/** Whether a function with this name may exist. Any function is accepted for a module of the site's own. */
export function isKnownFunction(kind: FunctionKind, name: string, site: Site): boolean {
  const { table, family } = TABLES[kind]
  const dot = name.indexOf('.')
  const [module, fun] = [name.slice(0, dot), name.slice(dot + 1)]
  if (site.own.has(family, module)) return true
  if (Object.hasOwn(table, module)) {
    return table[module]!.some(({ functions, hooks }) => functions.includes(fun) || hooks?.includes(fun))
  }
  // with this option, modules of a real Salt replace missing ones
  const isUpstream =
    (kind === 'function' || kind === 'state') &&
    site.daemons.some(({ opts }) => option(opts, 'python_upstream_modules'))
  return isUpstream
}

/** Return why Brine does not have a function of Salt, or similar names; undefined if there are none. */
export function nearName(kind: FunctionKind, name: string): string | undefined {
  const table = { function: 'module', state: 'state', runner: undefined, wheel: undefined } as const
  const [module] = name.split('.') as [string]
  const isBuiltIn = Object.hasOwn(TABLES[kind].table, module)
  const why = table[kind] && !isBuiltIn ? absence(table[kind], module) : undefined
  return why ?? didYouMean(name, namesOf(TABLES[kind].table))
}

function* namesOf(table: Table): Generator<string> {
  for (const [module, entries] of Object.entries(table)) {
    for (const { functions } of entries) for (const fun of functions) yield `${module}.${fun}`
  }
}

/** Return whether a text can be the name of a function. */
export const isFunctionName = (name: string): boolean => /^[A-Za-z_]\w*\.[A-Za-z_]\w*$/.test(name)
