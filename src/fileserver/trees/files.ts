// The backends `svnfs` and `hgfs`: trees of repositories below the cache, each served as a root.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path/posix'
import { type Log, PRIVATE_FILE } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import { type Dict, fnmatch, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import {
  type BackendLocks,
  type FileBackend,
  type FolderEntry,
  type FolderListing,
  noFiles,
  type ServedFile,
  type UpdateReport,
  type UpdateRequest,
} from '../backend.ts'
import { insideMount, stepToMount } from '../mountpoint.ts'
import { noteRemotes } from '../noted-remotes.ts'
import { RemoteUpdates, remoteStatus } from '../remote-updates.ts'
import { Roots } from '../roots.ts'
import type { TreeRemote } from './remote.ts'

/** The name of the only environment of a tree. */
const ONLY = 'base'

interface ServedTree {
  remote: TreeRemote
  id: string
  roots: Roots
}

export class TreeFiles implements FileBackend {
  readonly name: string
  private readonly opts: Dict
  private readonly host: Host
  private readonly log: Log
  private readonly read: () => TreeRemote[]
  private remotes: TreeRemote[] | Error | undefined
  private updates: RemoteUpdates | undefined
  private readonly listings = new Map<string, Promise<FolderListing>>()

  constructor(name: string, opts: Dict, host: Host, log: Log, read: () => TreeRemote[]) {
    this.name = name
    this.opts = opts
    this.host = host
    this.log = log
    this.read = read
  }

  private get home(): string {
    return join(option(this.opts, 'cachedir'), this.name)
  }

  /** Return the remotes; problems with their configuration are logged at the first use, and thrown at each. */
  private all(): TreeRemote[] {
    if (this.remotes === undefined) {
      try {
        this.remotes = this.read()
      } catch (error) {
        this.remotes = error as Error
      }
    }
    if (this.remotes instanceof Error) throw this.remotes
    return this.remotes
  }

  check(): void {
    this.all()
  }

  async envs(): Promise<string[]> {
    return [...new Set(this.all().flatMap((remote) => [...remote.environments().keys()]))].sort()
  }

  private async treesOf(saltenv: string): Promise<ServedTree[]> {
    const trees = this.all().map(async (remote) => {
      const tree = remote.environments().get(saltenv)
      if (tree === undefined) return undefined
      const top = await remote.folderOf(tree).catch((error: unknown) => {
        const said = remote.failure(error)
        if (said === undefined) throw error
        this.log('error', said)
      })
      if (top === undefined) return undefined
      const folder = join(top, remote.root)
      const roots = new Map<Value, Value>([['file_roots', new Map<Value, Value>([[ONLY, [folder]]])]])
      return { remote, id: `${remote.folder} ${tree.id} ${remote.root}`, roots: new Roots(roots, this.host) }
    })
    return (await Promise.all(trees)).filter((tree) => tree !== undefined)
  }

  async find(path: string, saltenv: string): Promise<ServedFile | undefined> {
    if (path.startsWith('/')) return undefined
    for (const { remote, id, roots } of await this.treesOf(saltenv)) {
      const inside = insideMount(remote.mountpoint, path)
      const found = inside === undefined ? undefined : await roots.find(inside, ONLY)
      if (found) return { ...found, rel: path, content: `${id} ${found.rel}` }
    }
    return undefined
  }

  async list(saltenv: string): Promise<FolderListing> {
    const found = noFiles()
    for (const { remote, id, roots } of await this.treesOf(saltenv)) {
      const part = await this.listed(id, roots)
      const shown = (paths: readonly string[]): string[] => paths.map((path) => join(remote.mountpoint, path))
      found.files.push(...shown(part.files))
      found.dirs.push(...shown(part.dirs), ...(remote.mountpoint === '' ? [] : [remote.mountpoint]))
      found.emptyDirs.push(...shown(part.emptyDirs))
    }
    const sorted = (paths: string[]): string[] => [...new Set(paths)].sort()
    // as in Salt, these backends do not list links
    return { ...found, files: sorted(found.files), dirs: sorted(found.dirs), emptyDirs: sorted(found.emptyDirs) }
  }

  /** A tree does not change, so it is listed once. */
  private listed(id: string, roots: Roots): Promise<FolderListing> {
    const listing = this.listings.get(id) ?? roots.list(ONLY)
    this.listings.set(id, listing)
    if (this.listings.size > 100) this.listings.delete(this.listings.keys().next().value!)
    return listing
  }

  async folder(given: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    const path = given.replace(/^\/+|\/+$/g, '')
    const entries = new Map<string, FolderEntry>()
    let isKnown = false
    for (const { remote, roots } of await this.treesOf(saltenv)) {
      const step = stepToMount(remote.mountpoint, path)
      const inside = insideMount(remote.mountpoint, `${path}/`)
      const part = step ? [step] : inside === undefined ? undefined : await roots.folder(inside, ONLY)
      if (part === undefined) continue
      isKnown = true
      for (const entry of part) {
        const shown = step ? entry : { ...entry, path: join(remote.mountpoint, entry.path) }
        if (!entries.has(entry.name)) entries.set(entry.name, shown)
      }
    }
    return isKnown ? [...entries.values()] : undefined
  }

  update(wish: UpdateRequest = {}): Promise<UpdateReport> {
    return this.updater().update(wish)
  }

  refresh(): Promise<void> {
    return this.updater().refresh()
  }

  interval(): number | undefined {
    const intervals = this.all().flatMap(({ interval }) => (interval > 0 ? [interval] : []))
    return intervals.length === 0 ? undefined : Math.min(...intervals)
  }

  private updater(): RemoteUpdates {
    this.updates ??= new RemoteUpdates(this.name, this.opts, this.all(), this.log, () => this.noteRemotes())
    return this.updates
  }

  /** Store the list of remotes, and remove the cache folders of remotes that are no longer configured. */
  private noteRemotes(): boolean {
    const mapped = this.all().map(({ folder, shownId }) => ({ folder: basename(folder), shownId }))
    const isOther = noteRemotes(this.home, this.name, mapped)
    for (const name of readdirSync(this.home)) {
      const path = join(this.home, name)
      const isUsed = mapped.some(({ folder }) => folder === name)
      if (!isUsed && statSync(path).isDirectory()) rmSync(path, { recursive: true, force: true })
    }
    return isOther
  }

  locks(): BackendLocks {
    const matching = (pattern: string | null): TreeRemote[] =>
      this.all().filter(({ id }) => pattern === null || pattern === '' || fnmatch(id, pattern))
    return {
      set: (pattern) =>
        matching(pattern)
          .filter(({ lockFile }) => !existsSync(lockFile))
          .map(({ lockFile, shownId }) => {
            mkdirSync(this.home, { recursive: true, mode: 0o700 })
            writeFileSync(lockFile, '', { mode: PRIVATE_FILE })
            return `Set lock for ${shownId}`
          }),
      clear: (pattern) =>
        matching(pattern)
          .filter(({ lockFile }) => existsSync(lockFile))
          .map(({ lockFile, shownId }) => {
            rmSync(lockFile, { recursive: true })
            return `Removed lock for ${shownId}`
          }),
    }
  }

  clearCache(): void {
    this.listings.clear()
    rmSync(this.home, { recursive: true, force: true })
  }

  clearLists(saltenv: string | null): string[] {
    if (saltenv === null) this.listings.clear()
    return []
  }

  async status(): Promise<Dict[]> {
    return this.all().map((remote) => remoteStatus(remote, remote.environments().size))
  }
}
