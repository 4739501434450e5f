// `tsx tools/plugin-table.ts`: writes src/loader/module-table.ts and state-table.ts, which name every function of
// src/modules/ and src/states/ and how its file is imported. A test of the loader fails when one is out of date.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type MasterModule, type ModuleDeclaration, type StateDeclaration, stateHooks } from '../src/sdk/mod.ts'

type Declaration = ModuleDeclaration | StateDeclaration | MasterModule

interface Family {
  folder: string
  table: string
  head: string
  hooks(declaration: Declaration): string[]
}

export const MODULES: Family = {
  folder: 'modules',
  table: 'module-table.ts',
  head: `// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { ModuleTable } from './registry.ts'

export const moduleTable: ModuleTable = {
`,
  hooks: () => [],
}

export const STATES: Family = {
  folder: 'states',
  table: 'state-table.ts',
  head: `// Made by tools/plugin-table.ts; run it after a state was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const stateTable: StateTable = {
`,
  hooks: (declaration) => stateHooks(declaration as StateDeclaration),
}

const masterFamily = (folder: string, kind: string): Family => ({
  folder,
  table: `${kind}-table.ts`,
  head: `// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const ${kind}Table: MasterTable = {
`,
  hooks: () => [],
})

export const RUNNERS: Family = masterFamily('runners', 'runner')
export const WHEEL: Family = masterFamily('wheel', 'wheel')

export const FAMILIES: readonly Family[] = [MODULES, STATES, RUNNERS, WHEEL]

/** Files of a folder of plugins; parts of a plugin lie beside it and declare nothing. */
export async function declarations(folder: string): Promise<Map<string, Declaration>> {
  const found = new Map<string, Declaration>()
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  for (const file of files.sort()) {
    const { default: declaration } = await import(pathToFileURL(join(folder, file)).href)
    if (declaration?.functions) found.set(file, declaration)
  }
  return found
}

export async function tableText(root: string, family: Family): Promise<string> {
  const byName = new Map<string, string[]>()
  const folder = join(root, 'src', family.folder)
  for (const [file, declaration] of existsSync(folder) ? await declarations(folder) : []) {
    const name = declaration.virtual ?? declaration.name
    const entries = byName.get(name) ?? []
    entries.push(entryText(family, file, declaration))
    byName.set(name, entries)
  }
  const lines = [...byName].map(([name, entries]) => `  ${name}: [\n${entries.join('')}  ],\n`)
  return `${family.head}${lines.join('')}}\n`
}

function entryText(family: Family, file: string, declaration: Declaration): string {
  const hooks = family.hooks(declaration)
  return [
    '    {\n',
    listText('functions', Object.keys(declaration.functions)),
    hooks.length > 0 ? listText('hooks', hooks) : '',
    `      load: () => import('../${family.folder}/${file}'),\n    },\n`,
  ].join('')
}

/** Words up to the edge of the page, as the formatter leaves them. */
function listText(key: string, words: readonly string[]): string {
  const names = words.map((name) => `'${name}'`)
  const oneLine = `      ${key}: [${names.join(', ')}],\n`
  if (oneLine.length <= 121) return oneLine
  return `      ${key}: [\n${names.map((name) => `        ${name},\n`).join('')}      ],\n`
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  for (const family of FAMILIES) {
    writeFileSync(join(root, 'src', 'loader', family.table), await tableText(root, family))
  }
}
