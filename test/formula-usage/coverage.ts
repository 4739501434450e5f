// The share of the functions in real formulas that exist here. counts.json counts state and execution functions in 61
// public formulas: in their text, and in what they compile to or call.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { moduleTable, stateTable } from '../../src/loader/mod.ts'

type Counts = Readonly<Record<string, number>>

interface Usage {
  statesInText: Counts
  statesCompiled: Counts
  functionsInText: Counts
  functionsCalled: Counts
}

export interface Coverage {
  what: string
  /** Share of the occurrences whose function is here, 0 to 1. */
  share: number
  occurrences: number
  /** Missing functions with their occurrences, the most used first. */
  missing: [name: string, count: number][]
}

type Table = Readonly<Record<string, readonly { functions: readonly string[] }[]>>

const has = (table: Table, name: string): boolean => {
  const [module, fun] = name.split('.') as [string, string]
  return Object.hasOwn(table, module) && table[module]!.some(({ functions }) => functions.includes(fun))
}

const total = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0)

function coverageOf(what: string, counts: Counts, table: Table): Coverage {
  const missing = Object.entries(counts).filter(([name]) => !has(table, name))
  const occurrences = total(Object.values(counts))
  const share = 1 - total(missing.map(([, count]) => count)) / occurrences
  return { what, share, occurrences, missing: missing.sort(([, a], [, b]) => b - a) }
}

export function coverage(): Coverage[] {
  const usage: Usage = JSON.parse(readFileSync(join(import.meta.dirname, 'counts.json'), 'utf8'))
  return [
    coverageOf('states in the text of formulas', usage.statesInText, stateTable),
    coverageOf('states that formulas compile to', usage.statesCompiled, stateTable),
    coverageOf('functions in the text of formulas', usage.functionsInText, moduleTable),
    coverageOf('functions called while compiling', usage.functionsCalled, moduleTable),
  ]
}
