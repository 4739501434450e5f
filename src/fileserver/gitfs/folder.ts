// One folder of an environment, with the sizes of its files.
import type { FolderEntry } from '../backend.ts'
import { insideMount, stepToMount } from '../mountpoint.ts'
import type { ServedTree } from './environments.ts'

/** Return the entries of a folder in all remotes; undefined where none has it. Of one name the first remote's counts. */
export async function folderEntries(trees: readonly ServedTree[], given: string): Promise<FolderEntry[] | undefined> {
  const path = given.replace(/^\/+|\/+$/g, '')
  const entries = new Map<string, FolderEntry>()
  let isKnown = false
  for (const tree of trees) {
    const part = await entriesIn(tree, path)
    if (part === undefined) continue
    isKnown = true
    for (const entry of part) if (!entries.has(entry.name)) entries.set(entry.name, entry)
  }
  return isKnown ? [...entries.values()] : undefined
}

async function entriesIn(served: ServedTree, path: string): Promise<FolderEntry[] | undefined> {
  const { mirror, tree, top, root, mountpoint } = served
  const shown = (name: string): string => (path === '' ? name : `${path}/${name}`)
  const step = stepToMount(mountpoint, path)
  if (step) return [step]
  const rel = insideMount(mountpoint, `${path}/`)?.replace(/\/$/, '')
  if (rel === undefined) return undefined
  const folder = await mirror.trees.at(tree, rel)
  if (folder?.kind !== 'folder') return undefined
  const below = [root, rel].filter((part) => part !== '').join('/')
  const entries = [...(await mirror.trees.folder(folder.id)).values()].map(async (entry) => {
    const isFolder = entry.kind === 'folder'
    if (isFolder) return { name: entry.name, path: shown(entry.name), kind: 'folder' as const, size: null }
    const inside = below === '' ? entry.name : `${below}/${entry.name}`
    const found = entry.kind === 'submodule' ? undefined : await mirror.trees.resolve(top, inside)
    if (found === undefined || found.entry.kind === 'folder') return undefined
    const size = (await mirror.objects.look(found.entry.id))?.size ?? null
    return { name: entry.name, path: shown(entry.name), kind: 'file' as const, size }
  })
  return (await Promise.all(entries)).filter((entry) => entry !== undefined)
}
