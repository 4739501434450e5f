// The declarations of a family of plugins: the default exports of the files in its folder.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MasterModule, ModuleDeclaration, StateDeclaration } from '../src/sdk/mod.ts'

export type Declaration = ModuleDeclaration | StateDeclaration | MasterModule

export interface NamedPlugin {
  readonly name: string
  readonly virtual?: string
  readonly doc: string
}

/** Plugins of a folder by file; parts of a plugin lie beside it and declare nothing. */
export async function plugins<T extends NamedPlugin>(folder: string): Promise<Map<string, T>> {
  const found = new Map<string, T>()
  const all = existsSync(folder) ? readdirSync(folder) : []
  for (const file of all.filter((file) => /(?<!\.test|\.test-support)\.ts$/.test(file)).sort()) {
    const { default: declaration } = await import(pathToFileURL(join(folder, file)).href)
    if (declaration?.name) found.set(file, declaration)
  }
  return found
}

/** Those that declare functions by name. */
export const declarations = (folder: string): Promise<Map<string, Declaration>> => plugins<Declaration>(folder)
