// The type `Calls` of src/sdk/calls.ts: what the functions of src/library/ return, by the name they are called by.
import { join } from 'node:path'
import type { ModuleDeclaration } from '../src/sdk/mod.ts'
import { calledName, plugins } from './plugin-declarations.ts'

const HEAD = `// Made by tools/plugin-table.ts; run it after the declared return of a function changed.
import type { Dict, Value } from '../data/mod.ts'

/** What functions return, by name. A function that is not here, or that a user replaced, may return any value. */
export interface Calls {
`

/** The words of declared returns, and their types. `any` is not among them: a call without a type returns a `Value`. */
const TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  string: 'string',
  number: 'number',
  list: 'Value[]',
  'list of strings': 'string[]',
  'list of dicts': 'Dict[]',
  dict: 'Dict',
  none: 'null',
  false: 'false',
}

export const callsFile = (root: string): string => join(root, 'src', 'sdk', 'calls.ts')

export async function callsText(root: string): Promise<string> {
  const modules = (await plugins<ModuleDeclaration>(root, 'module')).map(({ declaration }) => declaration)
  const lines = [...returnTypes(modules)].sort(([a], [b]) => (a < b ? -1 : 1))
  return `${HEAD}${lines.map(([name, type]) => `  '${name}': ${type}\n`).join('')}}\n`
}

/** Return the types of those functions whose providers all declare one. */
export function returnTypes(modules: readonly ModuleDeclaration[]): Map<string, string> {
  const words = new Map<string, Set<string>>()
  for (const module of modules) {
    for (const [fun, { returns }] of Object.entries(module.functions)) {
      const name = `${calledName(module)}.${fun}`
      words.set(name, new Set([...(words.get(name) ?? []), ...(returns?.type ?? 'any').split(' or ')]))
    }
  }
  const typed = [...words].filter(([, types]) => !types.has('any'))
  return new Map(
    typed.map(([name, types]) => [
      name,
      [...types]
        .sort()
        .map((word) => typeOf(word))
        .join(' | '),
    ]),
  )
}

function typeOf(word: string): string {
  const type = TYPES[word]
  if (type === undefined) throw new Error(`'${word}' is no type of a return`)
  return type
}
