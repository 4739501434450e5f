// `tsx tools/plugin-table.ts`: writes src/loader/*-table.ts, which name the functions of src/library/ and how the file of each is
// imported, the type `Calls` in src/sdk/, and the reference in docs/. Tests fail when they are out of date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StateDeclaration, stateHooks } from '../src/sdk/mod.ts'
import { ABSENT_PAGE, absentPage } from './absent-page.ts'
import { callsFile, callsText } from './calls.ts'
import { calledName, type Declaration, type NamedPlugin, type PluginKind, plugins } from './plugin-declarations.ts'
import { writeReference } from './reference.ts'

interface Family {
  kind: PluginKind
  head: string
  hooks(declaration: Declaration): string[]
  /** Whether entries say which plugins serve everywhere. */
  tellsAlways?: boolean
}

export const MODULES: Family = {
  kind: 'module',
  head: `// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { ModuleTable } from './module-entry.ts'

export const moduleTable: ModuleTable = {
`,
  hooks: () => [],
  tellsAlways: true,
}

export const STATES: Family = {
  kind: 'state',
  head: `// Made by tools/plugin-table.ts; run it after a state was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const stateTable: StateTable = {
`,
  hooks: (declaration) => stateHooks(declaration as StateDeclaration),
}

export const THORIUM: Family = {
  kind: 'thorium',
  head: `// Made by tools/plugin-table.ts; run it after a state of Thorium was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const thoriumTable: StateTable = {
`,
  hooks: () => [],
}

const masterFamily = (kind: 'runner' | 'wheel'): Family => ({
  kind,
  head: `// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const ${kind}Table: MasterTable = {
`,
  hooks: () => [],
})

export const RUNNERS: Family = masterFamily('runner')
export const WHEEL: Family = masterFamily('wheel')

export const FAMILIES: readonly Family[] = [MODULES, STATES, THORIUM, RUNNERS, WHEEL]

export async function tableText(root: string, family: Family): Promise<string> {
  const byName = new Map<string, string[]>()
  for (const { file, declaration } of await plugins<Declaration>(root, family.kind)) {
    const name = calledName(declaration)
    const entries = byName.get(name) ?? []
    entries.push(entryText(family, file, declaration))
    byName.set(name, entries)
  }
  const lines = [...byName].map(([name, entries]) => {
    if (entries.length === 1) return filled(`${name}: [${entries[0]}],`, '  ')
    return `  ${name}: [\n${entries.map((entry) => filled(`${entry},`, '    ')).join('')}  ],\n`
  })
  return `${UNFORMATTED}${family.head}${lines.join('')}}\n`
}

function entryText(family: Family, file: string, declaration: Declaration): string {
  const hooks = family.hooks(declaration)
  const parts = [
    `functions: ${listText(Object.keys(declaration.functions))}`,
    ...(hooks.length > 0 ? [`hooks: ${listText(hooks)}`] : []),
    ...(family.tellsAlways && !('when' in declaration) ? ['always: true'] : []),
    `load: () => import('../${file}')`,
  ]
  return `{ ${parts.join(', ')} }`
}

/** The formatter would put each function on a separate line. */
const UNFORMATTED = '// biome-ignore-all format: a line for each function is hard to read\n'

const listText = (words: readonly string[]): string => `[${words.map((word) => `'${word}'`).join(', ')}]`

const WIDTH = 120

/** Write an entry in lines that are filled up to the edge of the page. */
function filled(entry: string, indent: string): string {
  const lines: string[] = []
  let line = indent
  for (const part of entry.split(/(?<=,) /)) {
    if (line.length + part.length > WIDTH) {
      lines.push(line.trimEnd())
      line = `${indent}  `
    }
    line += `${part} `
  }
  return `${[...lines, line.trimEnd()].join('\n')}\n`
}

/** Families without functions to call: their tables are short. */
interface ShortFamily {
  kind: PluginKind
  type: string
  /** The name of a plug-in of the kind, if it differs from the kind. */
  called?: string
}

export const SHORT_FAMILIES: readonly ShortFamily[] = [
  { kind: 'beacon', type: 'BeaconDeclaration' },
  { kind: 'returner', type: 'ReturnerModule' },
  { kind: 'engine', type: 'EngineDeclaration' },
  { kind: 'pillar', type: 'ExtPillar', called: 'external pillar' },
  { kind: 'sdb', type: 'SdbDriver', called: 'driver of sdb' },
  { kind: 'cache', type: 'CacheDriver', called: 'driver of the cache' },
  { kind: 'tops', type: 'TopsSource', called: 'source of tops' },
  { kind: 'driver', type: 'CloudDriver', called: 'driver of salt-cloud' },
]

export async function shortTableText(root: string, { kind, type, called = kind }: ShortFamily): Promise<string> {
  const named = (await plugins<NamedPlugin>(root, kind)).map(({ file, declaration }) => [calledName(declaration), file])
  const lines = named.sort().map(([name, file]) => `  ${name}: () => import('../${file}'),\n`)
  return `// Made by tools/plugin-table.ts; run it after ${/^[aeiou]/.test(called) ? 'an' : 'a'} ${called} was added or removed.
import type { ${type} } from '../sdk/mod.ts'

export const ${kind}Table: Readonly<Record<string, () => Promise<{ default: ${type} }>>> = {
${lines.join('')}}\n`
}

export const tableFile = (root: string, { kind }: { kind: PluginKind }): string =>
  join(root, 'src', 'loader', `${kind}-table.ts`)

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  for (const family of FAMILIES) {
    writeFileSync(tableFile(root, family), await tableText(root, family))
  }
  for (const family of SHORT_FAMILIES) {
    writeFileSync(tableFile(root, family), await shortTableText(root, family))
  }
  writeFileSync(callsFile(root), await callsText(root))
  await writeReference(root)
  writeFileSync(join(root, ABSENT_PAGE), absentPage(root))
}
