// The plugins of src/library/: a file `<kind>.ts` or `<name>.<kind>.ts` in the folder of a subject declares one as its default
// export. All other files in that folder are parts of its plugins.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { MasterModule, ModuleDeclaration, StateDeclaration } from '../src/sdk/mod.ts'

export type PluginKind =
  | 'module'
  | 'state'
  | 'runner'
  | 'wheel'
  | 'beacon'
  | 'returner'
  | 'engine'
  | 'thorium'
  | 'pillar'
  | 'sdb'
  | 'tops'
  | 'cache'
  | 'driver'

export type Declaration = ModuleDeclaration | StateDeclaration | MasterModule

export interface NamedPlugin {
  readonly name: string
  readonly virtual?: string
  readonly doc: string
}

export interface PluginFile<T extends NamedPlugin> {
  /** The path below src/. */
  file: string
  declaration: T
}

/** Return the name that users call a plugin by. */
export const calledName = ({ name, virtual }: NamedPlugin): string => virtual ?? name

/** Return the plugins of a kind, sorted by name. */
export async function plugins<T extends NamedPlugin>(root: string, kind: PluginKind): Promise<PluginFile<T>[]> {
  const isOfKind = new RegExp(`^(?:\\w+\\.)?${kind}\\.ts$`)
  const found: PluginFile<T>[] = []
  for (const file of subjectFiles(join(root, 'src')).filter((file) => isOfKind.test(file.split('/').at(-1)!))) {
    const { default: declaration } = await import(pathToFileURL(join(root, 'src', file)).href)
    if (!declaration?.name) throw new Error(`src/${file} declares no plugin: its default export has no name`)
    found.push({ file, declaration })
  }
  return found.sort((a, b) => (a.declaration.name < b.declaration.name ? -1 : 1))
}

/** Return the files directly in the folders of subjects, as paths below src/. */
function subjectFiles(src: string): string[] {
  const folders = (path: string): string[] =>
    readdirSync(join(src, path), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${path}/${name}`)
  return folders('library')
    .flatMap(folders)
    .flatMap((subject) => readdirSync(join(src, subject)).map((name) => `${subject}/${name}`))
    .sort()
}
