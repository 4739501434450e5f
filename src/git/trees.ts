// The tree of a commit: its folders by id, cached in memory because branches share most of them, and paths in it.
import { GitError } from './errors.ts'
import type { GitObjects } from './objects.ts'

export type EntryKind = 'file' | 'program' | 'link' | 'folder' | 'submodule'

export interface TreeEntry {
  name: string
  kind: EntryKind
  id: string
}

/** Entries of folders that are kept, all folders together. */
const MOST_ENTRIES = 200_000

/** Nested folders of a tree; more are an attack. */
const MOST_DEPTH = 500

const MOST_LINKS = 100

/**
 * Limit of entries below one tree: folders that contain each other repeatedly expand few objects to billions of
 * entries.
 */
const MOST_WALKED = 1_000_000

/** Bytes of a link, as on Linux. */
const LONGEST_LINK = 4096

const KINDS: ReadonlyMap<string, EntryKind> = new Map([
  ['40000', 'folder'],
  ['120000', 'link'],
  ['160000', 'submodule'],
  ['100755', 'program'],
])

export class GitTrees {
  private readonly objects: GitObjects
  private readonly known = new Map<string, ReadonlyMap<string, TreeEntry>>()
  private entries = 0

  constructor(objects: GitObjects) {
    this.objects = objects
  }

  /** Return the entries of a folder by name, in the order of git. */
  async folder(id: string): Promise<ReadonlyMap<string, TreeEntry>> {
    const known = this.known.get(id)
    if (known) {
      this.known.delete(id)
      this.known.set(id, known)
      return known
    }
    const object = await this.objects.read(id)
    if (object?.type !== 'tree') throw new GitError('ObjectUnreadable', `The mirror has no tree ${id}`)
    const folder = parseTree(object.content, id.length / 2)
    this.keep(id, folder)
    return folder
  }

  private keep(id: string, folder: ReadonlyMap<string, TreeEntry>): void {
    if (this.known.has(id)) return
    this.known.set(id, folder)
    this.entries += folder.size + 1
    for (const [oldest, old] of this.known) {
      if (this.entries <= MOST_ENTRIES || oldest === id) break
      this.known.delete(oldest)
      this.entries -= old.size + 1
    }
  }

  /** Return the entry at a path below a tree without following links; the empty path is the tree itself. */
  async at(tree: string, path: string): Promise<TreeEntry | undefined> {
    let found: TreeEntry = { name: '', kind: 'folder', id: tree }
    if (path === '') return found
    const names = path.split('/')
    if (names.length > MOST_DEPTH) return undefined
    for (const name of names) {
      const next = found.kind === 'folder' ? (await this.folder(found.id)).get(name) : undefined
      if (next === undefined) return undefined
      found = next
    }
    return found
  }

  /**
   * Return the entry at a path, following links within the tree. With `throughFolders`, links in the middle of the path
   * are followed too, as in checked-out files.
   */
  async resolve(
    tree: string,
    path: string,
    { throughFolders = false }: { throughFolders?: boolean } = {},
  ): Promise<{ path: string; entry: TreeEntry } | undefined> {
    let at = path
    for (let hops = 0; hops <= MOST_LINKS; hops++) {
      const entry = await this.at(tree, at)
      if (entry !== undefined && entry.kind !== 'link') return { path: at, entry }
      const link = entry ? at : throughFolders ? await this.firstLink(tree, at) : undefined
      if (link === undefined) return undefined
      const target = joined(link, await this.linkTarget((await this.at(tree, link))!.id))
      if (target === undefined) return undefined
      at = [target, at.slice(link.length + 1)].filter((part) => part !== '').join('/')
    }
    return undefined
  }

  private async firstLink(tree: string, path: string): Promise<string | undefined> {
    const names = path.split('/')
    for (let count = 1; count < names.length; count++) {
      const start = names.slice(0, count).join('/')
      const kind = (await this.at(tree, start))?.kind
      if (kind === 'link') return start
      if (kind !== 'folder') return undefined
    }
    return undefined
  }

  /** Return the target of a link; empty if it is too long. */
  async linkTarget(id: string): Promise<string> {
    const size = (await this.objects.look(id))?.size ?? 0
    return size > LONGEST_LINK ? '' : ((await this.objects.read(id))?.content.toString() ?? '')
  }

  /** Read the folders below a tree, all of a level at once: one after another would wait for git each time. */
  private async preload(tree: string): Promise<void> {
    let level = [tree]
    for (let depth = 0; level.length > 0 && depth <= MOST_DEPTH; depth++) {
      const folders = await Promise.all(level.map((id) => this.known.get(id) ?? this.folder(id)))
      const below = folders.flatMap((folder) => [...folder.values()].filter(({ kind }) => kind === 'folder'))
      level = [...new Set(below.map(({ id }) => id))].filter((id) => !this.known.has(id))
    }
  }

  /** Show all entries below a tree, each with its path; a folder comes before its content. */
  async walk(tree: string, show: (path: string, entry: TreeEntry) => void): Promise<void> {
    await this.preload(tree)
    let left = MOST_WALKED
    const enter = async (id: string, below: string, depth: number): Promise<void> => {
      if (depth > MOST_DEPTH)
        throw new GitError('ObjectUnreadable', `The folders of tree ${tree} are nested too deeply`)
      const folder = this.known.get(id) ?? (await this.folder(id))
      left -= folder.size
      if (left < 0)
        throw new GitError('ObjectUnreadable', `Tree ${tree} has more than ${MOST_WALKED} files and folders`)
      for (const entry of folder.values()) {
        const path = `${below}${entry.name}`
        show(path, entry)
        if (entry.kind === 'folder') await enter(entry.id, `${path}/`, depth + 1)
      }
    }
    await enter(tree, '', 0)
  }
}

/** Return the target of a link from the top of the tree; undefined if it is outside. */
function joined(link: string, target: string): string | undefined {
  if (target === '' || target.startsWith('/') || target.includes('\0')) return undefined
  const parts = link.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/** Names that no file system has, and that would leave a folder, are dropped: a server may send any bytes. */
const isPlain = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('/')

function parseTree(content: Buffer, idLength: number): ReadonlyMap<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at)
    const end = content.indexOf(0, space)
    if (space < 0 || end < 0) break
    const mode = content.toString('latin1', at, space)
    const name = content.toString('utf8', space + 1, end)
    const id = content.toString('hex', end + 1, end + 1 + idLength)
    if (isPlain(name)) entries.set(name, { name, kind: KINDS.get(mode) ?? 'file', id })
    at = end + 1 + idLength
  }
  return entries
}
