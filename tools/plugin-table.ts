// `tsx tools/plugin-table.ts`: writes src/loader/module-table.ts, which names every function of src/modules/ and how its
// file is imported. A test of the loader fails when it is out of date.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ModuleDeclaration } from '../src/sdk/mod.ts'

const HEAD = `// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { ModuleTable } from './registry.ts'

export const moduleTable: ModuleTable = {
`

/** Files of a folder of plugins; parts of a plugin lie beside it and declare nothing. */
export async function declarations(folder: string): Promise<Map<string, ModuleDeclaration>> {
  const found = new Map<string, ModuleDeclaration>()
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  for (const file of files.sort()) {
    const { default: declaration } = await import(pathToFileURL(join(folder, file)).href)
    if (declaration?.functions) found.set(file, declaration)
  }
  return found
}

export async function tableText(root: string): Promise<string> {
  const byName = new Map<string, string[]>()
  for (const [file, declaration] of await declarations(join(root, 'src', 'modules'))) {
    const name = declaration.virtual ?? declaration.name
    const entries = byName.get(name) ?? []
    entries.push(entryText(file, Object.keys(declaration.functions)))
    byName.set(name, entries)
  }
  const lines = [...byName].map(([name, entries]) => `  ${name}: [\n${entries.join('')}  ],\n`)
  return `${HEAD}${lines.join('')}}\n`
}

/** Words up to the edge of the page, as the formatter leaves them. */
function entryText(file: string, functions: readonly string[]): string {
  const names = functions.map((name) => `'${name}'`)
  const oneLine = `      functions: [${names.join(', ')}],\n`
  const list =
    oneLine.length <= 121
      ? oneLine
      : `      functions: [\n${names.map((name) => `        ${name},\n`).join('')}      ],\n`
  return `    {\n${list}      load: () => import('../modules/${file}'),\n    },\n`
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '..')
  writeFileSync(join(root, 'src', 'loader', 'module-table.ts'), await tableText(root))
}
