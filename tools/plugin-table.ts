// `tsx tools/plugin-table.ts`: writes src/loader/*-table.ts, which name every function of src/modules/, src/states/,
// src/runners/ and src/wheel/ and how its file is imported, and the reference in docs/. Tests fail when they are out of date.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StateDeclaration, stateHooks } from '../src/sdk/mod.ts'
import { type Declaration, declarations } from './plugin-declarations.ts'
import { writeReference } from './reference.ts'

interface Family {
  folder: string
  table: string
  head: string
  hooks(declaration: Declaration): string[]
  /** Whether entries say which plugins serve everywhere. */
  tellsAlways?: boolean
}

export const MODULES: Family = {
  folder: 'modules',
  table: 'module-table.ts',
  head: `// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { ModuleTable } from './registry.ts'

export const moduleTable: ModuleTable = {
`,
  hooks: () => [],
  tellsAlways: true,
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

export const THORIUM: Family = {
  folder: 'thorium',
  table: 'thorium-table.ts',
  head: `// Made by tools/plugin-table.ts; run it after a state of Thorium was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const thoriumTable: StateTable = {
`,
  hooks: () => [],
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

export const FAMILIES: readonly Family[] = [MODULES, STATES, THORIUM, RUNNERS, WHEEL]

export async function tableText(root: string, family: Family): Promise<string> {
  const byName = new Map<string, string[]>()
  const folder = join(root, 'src', family.folder)
  for (const [file, declaration] of await declarations(folder)) {
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
    family.tellsAlways && !('when' in declaration) ? '      always: true,\n' : '',
    `      load: () => import('../${family.folder}/${file}'),\n    },\n`,
  ].join('')
}

/** Families of which each file is one plugin: their tables are short. */
interface ShortFamily {
  folder: string
  kind: string
  type: string
}

export const SHORT_FAMILIES: readonly ShortFamily[] = [
  { folder: 'beacons', kind: 'beacon', type: 'BeaconDeclaration' },
  { folder: 'returners', kind: 'returner', type: 'ReturnerModule' },
  { folder: 'engines', kind: 'engine', type: 'EngineDeclaration' },
]

export function shortTableText(root: string, { folder, kind, type }: ShortFamily): string {
  const files = readdirSync(join(root, 'src', folder)).filter((file) => /^\w+\.ts$/.test(file))
  const lines = files.sort().map((file) => `  ${file.replace('.ts', '')}: () => import('../${folder}/${file}'),\n`)
  return `// Made by tools/plugin-table.ts; run it after a ${kind} was added or removed.
import type { ${type} } from '../sdk/mod.ts'

export const ${kind}Table: Readonly<Record<string, () => Promise<{ default: ${type} }>>> = {
${lines.join('')}}\n`
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
  for (const family of SHORT_FAMILIES) {
    writeFileSync(join(root, 'src', 'loader', `${family.kind}-table.ts`), shortTableText(root, family))
  }
  await writeReference(root)
}
