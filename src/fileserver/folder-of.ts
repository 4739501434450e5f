// One folder of a served tree, cut from the list of all its files.
import { normalize } from 'node:path/posix'
import type { FolderEntry, FolderListing } from './backend.ts'

/**
 * Return the entries of a folder; the empty path is the top. Undefined if nothing is below it. `size` is called for
 * files.
 */
export async function folderOf(
  { files, dirs }: Pick<FolderListing, 'files' | 'dirs'>,
  given: string,
  size: (path: string) => Promise<number | null>,
): Promise<FolderEntry[] | undefined> {
  const below = normalize(`${given}/`)
  const start = below === './' || below === '/' ? '' : below
  const entries = new Map<string, FolderEntry>()
  for (const [paths, ownKind] of [
    [dirs, 'folder'],
    [files, 'file'],
  ] as const) {
    for (const path of paths) {
      if (!path.startsWith(start)) continue
      const [name = '', ...more] = path.slice(start.length).split('/')
      const kind = more.length > 0 ? 'folder' : ownKind
      if (name === '' || entries.has(name)) continue
      const whole = `${start}${name}`
      entries.set(name, { name, path: whole, kind, size: kind === 'file' ? await size(whole) : null })
    }
  }
  return entries.size > 0 || dirs.includes(start.slice(0, -1)) ? [...entries.values()] : undefined
}
