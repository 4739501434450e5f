// The declarations of a family of plugins: the default exports of the files in its folder.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MasterModule, ModuleDeclaration, StateDeclaration } from '../src/sdk/mod.ts'

export type Declaration = ModuleDeclaration | StateDeclaration | MasterModule

/** Files of a folder of plugins; parts of a plugin lie beside it and declare nothing. */
export async function declarations(folder: string): Promise<Map<string, Declaration>> {
  const found = new Map<string, Declaration>()
  const files = (existsSync(folder) ? readdirSync(folder) : []).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  for (const file of files.sort()) {
    const { default: declaration } = await import(pathToFileURL(join(folder, file)).href)
    if (declaration?.functions) found.set(file, declaration)
  }
  return found
}
