// A folder of pillar files: a directory of this machine, or a folder in a commit of a Git repository, read without a checkout.
import { join } from 'node:path/posix'
import { decodeBytes } from '../data/mod.ts'
import { GitError, type GitMirror, type TreeEntry } from '../git/mod.ts'
import { type Host, unlessRefused } from '../host/mod.ts'
import type { TreeFile } from '../render/mod.ts'

export interface PillarFolder {
  /** Return a file by its path, which has no `..` and no slash at its begin. */
  read(path: string): Promise<TreeFile | undefined>
  /** Yield the paths of all files, without folders that `isIgnored` matches. */
  paths(isIgnored: (name: string) => boolean): AsyncIterable<string>
}

const textOf = (content: Uint8Array): string => decodeBytes(content).replace(/\r\n?/g, '\n')

/** A directory of this machine. */
export class DirectoryFolder implements PillarFolder {
  private readonly host: Host
  private readonly directory: string

  constructor(host: Host, directory: string) {
    this.host = host
    this.directory = directory
  }

  async read(path: string): Promise<TreeFile | undefined> {
    const file = join(this.directory, path)
    if ((await this.stat(file))?.type !== 'file') return undefined
    return { file, text: textOf(await this.host.read(file)) }
  }

  paths(isIgnored: (name: string) => boolean): AsyncIterable<string> {
    return this.walk(this.directory, '', new Set(), isIgnored)
  }

  /** Follows links to directories, but none into a directory that it is in already. */
  private async *walk(
    directory: string,
    prefix: string,
    above: ReadonlySet<string>,
    isIgnored: (name: string) => boolean,
  ): AsyncGenerator<string> {
    const inside = await this.stat(directory)
    if (inside?.type !== 'directory') return
    const identity = `${inside.device}:${inside.inode}`
    if (above.has(identity)) return
    for (const name of await this.host.list(directory)) {
      const path = join(directory, name)
      const found = await this.stat(path)
      if (found?.type !== 'directory') yield prefix + name
      else if (!isIgnored(name)) yield* this.walk(path, `${prefix}${name}/`, new Set([...above, identity]), isIgnored)
    }
  }

  /** Undefined if the path cannot be read. */
  private async stat(path: string) {
    return unlessRefused(this.host.stat(path), undefined)
  }
}

/** Files and folders of a commit that are looked at; shared folders, and links to folders, can make few files into very many. */
const MOST_ENTRIES = 200_000

const MOST_DEPTH = 500

/** A folder in a commit. Links are followed as in a checkout, but never out of the repository. */
export class GitFolder implements PillarFolder {
  /** The prefix of paths in messages, such as `https://host/x.git@master`. */
  readonly shown: string
  private readonly mirror: GitMirror
  private readonly tree: string
  private readonly root: string
  private readonly mountpoint: string

  /** `root` is a folder of the tree; its files appear below `mountpoint`. */
  constructor(mirror: GitMirror, tree: string, place: { shown: string; root: string; mountpoint: string }) {
    this.mirror = mirror
    this.tree = tree
    this.shown = place.shown
    this.root = place.root
    this.mountpoint = place.mountpoint
  }

  /** Return whether the root is a folder of the tree. */
  async exists(): Promise<boolean> {
    return (await this.at(this.root))?.entry.kind === 'folder'
  }

  async read(path: string): Promise<TreeFile | undefined> {
    if (this.mountpoint !== '' && !path.startsWith(`${this.mountpoint}/`)) return undefined
    const inside = path.slice(this.mountpoint === '' ? 0 : this.mountpoint.length + 1)
    const place = below(this.root, inside)
    const entry = (await this.at(place))?.entry
    if (entry === undefined || !isFile(entry)) return undefined
    const object = await this.mirror.objects.read(entry.id)
    // templates derive their position in the pillar tree from the path
    const file = this.mountpoint === '' ? `${this.shown}/${place}` : `${below(this.shown, this.root)} (mounted)/${path}`
    return object && { file, text: textOf(object.content) }
  }

  async *paths(isIgnored: (name: string) => boolean): AsyncIterable<string> {
    const root = await this.at(this.root)
    if (root?.entry.kind !== 'folder') return
    const before = this.mountpoint === '' ? '' : `${this.mountpoint}/`
    const room = { left: MOST_ENTRIES }
    for await (const path of this.walk(root.path, root.entry.id, new Set(), isIgnored, room)) yield before + path
  }

  private async *walk(
    at: string,
    id: string,
    above: ReadonlySet<string>,
    isIgnored: (name: string) => boolean,
    room: { left: number },
  ): AsyncGenerator<string> {
    if (above.has(at)) return
    const entries = await this.mirror.trees.folder(id)
    room.left -= entries.size + 1
    if (room.left < 0 || above.size > MOST_DEPTH)
      throw new GitError(
        'ObjectUnreadable',
        `${this.shown} has more than ${MOST_ENTRIES} files and folders, or they are nested too deeply`,
      )
    const inner = new Set([...above, at])
    for (const { name, kind, id: child } of entries.values()) {
      const path = below(at, name)
      const found = kind === 'link' ? await this.at(path) : { path, entry: { kind, id: child } }
      if (found === undefined || found.entry.kind === 'submodule') continue
      if (found.entry.kind !== 'folder') yield name
      else if (!isIgnored(name)) {
        for await (const inside of this.walk(found.path, found.entry.id, inner, isIgnored, room))
          yield `${name}/${inside}`
      }
    }
  }

  private at(path: string): Promise<{ path: string; entry: TreeEntry } | undefined> {
    return this.mirror.trees.resolve(this.tree, path, { throughFolders: true })
  }
}

const isFile = ({ kind }: TreeEntry): boolean => kind === 'file' || kind === 'program'

const below = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`)
