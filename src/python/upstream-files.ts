// With `python_upstream_modules`: the modules of a real Salt that the interpreter can import. They are treated as those
// of an extension that comes last, after all built-in ones.
import { join } from 'node:path'
import { option } from '../config/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type Extension, installationOf } from './extensions.ts'
import { type FamilyName, filesIn, type ModuleFile, moduleFiles } from './folders.ts'
import { isFolder, namedByPathFiles, shortText } from './site-folders.ts'

/** Kinds whose folder in Salt has a different name. */
const FOLDERS: Partial<Record<FamilyName, string>> = { clouds: 'cloud/clouds', wrapper: 'client/ssh/wrapper' }

/** The folder of the package `salt` that the interpreter imports; undefined when it has none. */
function saltRoot(opts: Dict): string | undefined {
  const folders = installationOf(opts).folders.filter(isFolder)
  const roots = [...folders, ...folders.flatMap(namedByPathFiles)].map((folder) => join(folder, 'salt'))
  return roots.find((root) => shortText(join(root, 'loader', '__init__.py'), 1 << 20) !== '')
}

/** Return the modules of a kind in that Salt; empty unless the option is set. */
export function upstreamFiles(opts: Dict, family: FamilyName): ModuleFile[] {
  if (!option(opts, 'python_upstream_modules')) return []
  const root = saltRoot(opts)
  if (root === undefined) return []
  const extension: Extension = { name: 'salt', version: '', package: 'salt', folders: new Map() }
  return filesIn(join(root, FOLDERS[family] ?? family)).map((file) => ({ ...file, extension }))
}

/**
 * Whether there may be modules of a kind that are not built in. If there are none, this costs the listing of a few
 * folders.
 */
export const mayHaveModules = (opts: Dict, family: FamilyName): boolean =>
  option(opts, 'python_upstream_modules') || moduleFiles(opts, family).length > 0
