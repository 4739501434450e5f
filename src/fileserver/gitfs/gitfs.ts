// The `gitfs` backend: branches and tags of Git repositories as environments. Files are read from mirrors by object id, so nothing
// is checked out, and requests wait for no fetch.
import { rmSync } from 'node:fs'
import { join } from 'node:path/posix'
import { type Log, silentLog } from '../../base/mod.ts'
import { option } from '../../config/mod.ts'
import type { Dict } from '../../data/mod.ts'
import { type ConfiguredRemote, LockFiles, type LockType, mirrorOf, removeForgottenMirrors } from '../../git/mod.ts'
import type { FileStat } from '../../host/mod.ts'
import type {
  BackendLocks,
  FileBackend,
  FileUse,
  FolderEntry,
  FolderListing,
  ServedFile,
  UpdateReport,
  UpdateRequest,
} from '../backend.ts'
import { insideMount } from '../mountpoint.ts'
import { noteRemotes } from '../noted-remotes.ts'
import { RemoteUpdates, remoteStatus } from '../remote-updates.ts'
import { BlobFiles } from './blobs.ts'
import { Environments, type FetchedRemote, type ServedTree } from './environments.ts'
import { folderEntries } from './folder.ts'
import { Listings } from './listings.ts'
import { gitfsRemotes } from './remotes.ts'
import { updatedRemote } from './updated.ts'

/** How long the refs of mirrors count as unchanged without another check, in milliseconds; requests come in bursts. */
const SURE_MS = 100

export class GitFiles implements FileBackend {
  readonly name = 'gitfs'
  private readonly opts: Dict
  private log: Log
  private readonly blobs: BlobFiles
  private readonly listings: Listings
  private remotes: FetchedRemote[] | Error | undefined
  private updates: RemoteUpdates | undefined
  private environments: Environments | undefined
  private sureUntil = 0

  constructor(opts: Dict, log: Log) {
    this.opts = opts
    this.log = log
    this.blobs = new BlobFiles(join(this.home, 'blobs'), option(opts, 'hash_type'))
    this.listings = new Listings(join(this.cachedir, 'file_lists', 'gitfs'))
  }

  private get cachedir(): string {
    return option(this.opts, 'cachedir')
  }

  private get home(): string {
    return join(this.cachedir, 'gitfs')
  }

  /** Return the remotes; problems with their configuration are logged at the first use, and thrown at each. */
  private all(): FetchedRemote[] {
    this.remotes ??= this.read()
    if (this.remotes instanceof Error) throw this.remotes
    return this.remotes
  }

  private read(): FetchedRemote[] | Error {
    try {
      return gitfsRemotes(this.opts, this.log).map((remote) => ({
        remote,
        mirror: mirrorOf(this.cachedir, remote.configured.git),
      }))
    } catch (error) {
      return error as Error
    }
  }

  /** The first to ask may have had no log. */
  logTo(log: Log): void {
    this.log = log
  }

  check(): void {
    this.all()
  }

  private async current(): Promise<Environments> {
    const now = performance.now()
    if (this.environments && now < this.sureUntil) return this.environments
    const remotes = this.all()
    const refs = await Promise.all(remotes.map(({ mirror }) => mirror.refs()))
    if (!this.environments?.isOf(refs)) this.environments = new Environments(remotes, refs)
    this.sureUntil = now + SURE_MS
    return this.environments
  }

  async envs(): Promise<string[]> {
    return (await this.current()).names
  }

  async find(given: string, saltenv: string, use: FileUse = 'read'): Promise<ServedFile | undefined> {
    const path = given.replace(/^\/+/, '')
    for (const tree of await (await this.current()).treesOf(saltenv)) {
      const inside = pathInside(tree, path)
      const found = inside === undefined ? undefined : await tree.mirror.trees.resolve(tree.top, inside)
      if (found?.entry.kind !== 'file' && found?.entry.kind !== 'program') continue
      const { id, kind } = found.entry
      const known = await (use === 'read' ? this.blobs.file(id, tree.mirror) : this.blobs.look(id, tree.mirror))
      if (known === undefined) continue
      const stat = blobStat(known.size, kind === 'program' ? 0o755 : 0o644)
      const hash = (algorithm: string): Promise<string> => this.blobs.hash(id, algorithm, tree.mirror)
      return { path: this.blobs.pathOf(id), rel: path, stat, content: id, hash }
    }
    return undefined
  }

  async list(saltenv: string): Promise<FolderListing> {
    const environments = await this.current()
    const trees = await environments.treesOf(saltenv)
    const listing = await this.listings.of(saltenv, trees, environments.has(saltenv))
    // as in Salt, files of a fallback have no links
    return environments.isKnown(saltenv) ? listing : { ...listing, links: new Map() }
  }

  async folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    return folderEntries(await (await this.current()).treesOf(saltenv), path)
  }

  async update(wish: UpdateRequest = {}): Promise<UpdateReport> {
    const report = await this.updater().update(wish)
    this.sureUntil = 0
    // a master that runs knows all mirrors in use
    if (this.blobs.reapSometimes() && wish.isDue) removeForgottenMirrors(this.cachedir)
    return report
  }

  async refresh(): Promise<void> {
    await this.updater().refresh()
    this.sureUntil = 0
  }

  interval(): number | undefined {
    const intervals = this.all().flatMap(({ remote }) => (remote.interval > 0 ? [remote.interval] : []))
    return intervals.length === 0 ? undefined : Math.min(...intervals)
  }

  private updater(): RemoteUpdates {
    if (this.updates) return this.updates
    const locks = this.lockFiles()
    const updated = this.all().map((remote) => updatedRemote(remote, locks))
    const note = (): boolean => noteRemotes(this.home, this.name, this.configured())
    this.updates = new RemoteUpdates(this.name, this.opts, updated, this.log, note)
    return this.updates
  }

  private lockFiles(): LockFiles {
    return new LockFiles(this.cachedir, option(this.opts, 'gitfs_global_lock'), this.log)
  }

  private configured(): ConfiguredRemote[] {
    return this.all().map(({ remote }) => remote.configured)
  }

  locks(): BackendLocks {
    const [files, remotes] = [this.lockFiles(), this.configured()]
    return {
      set: (pattern) => files.set(remotes, pattern),
      clear: (pattern, type = 'update') => files.clear(remotes, pattern, type as LockType),
    }
  }

  clearCache(): void {
    this.environments = undefined
    const remotes = this.read()
    if (Array.isArray(remotes)) for (const { mirror } of remotes) mirror.clear()
    this.blobs.clear()
    this.listings.clear(null)
    rmSync(this.home, { recursive: true, force: true })
  }

  clearLists(saltenv: string | null): string[] {
    return this.listings.clear(saltenv)
  }

  async status(): Promise<Dict[]> {
    const shown = this.all().map(async ({ remote, mirror }) => {
      const refs = await mirror.refs()
      return remoteStatus(
        updatedRemote({ remote, mirror }, this.lockFiles()),
        refs === undefined ? 0 : refs.branches.size + refs.tags.size,
      )
    })
    return Promise.all(shown)
  }
}

/** Return the path in the commit for a requested one; undefined if this remote does not serve it. */
function pathInside({ root, mountpoint }: ServedTree, path: string): string | undefined {
  const rel = insideMount(mountpoint, path)
  return rel === undefined || root === '' ? rel : `${root}/${rel}`
}

/** Git keeps of a file whether it can be run, and no times or owners. */
const blobStat = (size: number, mode: number): FileStat => ({
  type: 'file',
  mode,
  size,
  uid: 0,
  gid: 0,
  atime: 0,
  mtime: 0,
  ctime: 0,
  inode: 0,
  device: 0,
  links: 1,
  major: 0,
  minor: 0,
})

const opened = new WeakMap<Dict, GitFiles>()

/** Return the backend for a set of options: one instance per set, because it caches what it has read. */
export function gitFiles(opts: Dict, log: Log): GitFiles {
  const known = opened.get(opts) ?? new GitFiles(opts, log)
  if (log !== silentLog) known.logTo(log)
  opened.set(opts, known)
  return known
}
