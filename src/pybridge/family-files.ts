// The files of one family of users' modules, by language.
import type { Dict } from '../data/mod.ts'
import { type FamilyName, type ModuleFile, moduleFiles, moduleText } from '../python/mod.ts'

export interface FamilyFiles {
  python: ModuleFile[]
  native: ModuleFile[]
}

/** Functions bound to a target over SSH see nothing of the extensions that are installed here. */
export function familyFiles(opts: Dict, family: FamilyName, remote?: object): FamilyFiles {
  const files = moduleFiles(opts, family).filter(({ extension }) => !(extension && remote))
  return {
    python: files.filter(({ language }) => language === 'python'),
    native: files.filter(({ language }) => language === 'native'),
  }
}

/** Whether a file may serve under a name. Users' own files may serve under any; the text of others decides. */
export function mayServe({ name, path, extension }: ModuleFile, wanted: string): boolean {
  if (!extension) return true
  const { names, isComplete } = moduleText(path, name)
  return !isComplete || names.includes(wanted)
}

/**
 * Whether the text of a file is enough to list it without loading: it belongs to an extension, and contains its names
 * and functions.
 */
export const isListed = ({ name, path, extension }: ModuleFile): boolean =>
  extension !== undefined && moduleText(path, name).isComplete
