// One repository of svnfs or hgfs below the cache: a file that says which tree each environment has, replaced as a whole, and a
// folder for each tree, which is renamed into place when it is complete and never changed.
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path/posix'
import {
  isAnyError,
  type Log,
  makeOwnFolder,
  readJson,
  recover,
  toError,
  withHint,
  writeWhole,
} from '../../base/mod.ts'
import { NotedStatus } from '../noted-status.ts'
import type { RemoteStatus, UpdatedRemote } from '../remote-updates.ts'
import { isPlainEnv } from '../roots.ts'
import { TreeError } from './program.ts'
import type { Tree, TreeSource } from './source.ts'

export interface TreeRemoteSettings {
  backend: string
  /** The folder below the cache. */
  folder: string
  id: string
  shownId: string
  interval: number
  /** The folder of the trees that is served. */
  root: string
  mountpoint: string
  isExposed(saltenv: string): boolean
}

/** Seconds that a tree stays after the last environment left it, for running downloads. */
const KEPT_SECONDS = 3600

const now = (): number => Date.now() / 1000

export class TreeRemote implements UpdatedRemote {
  readonly folder: string
  readonly id: string
  readonly shownId: string
  readonly name = undefined
  readonly interval: number
  readonly root: string
  readonly mountpoint: string
  private readonly settings: TreeRemoteSettings
  private readonly source: TreeSource
  private readonly log: Log
  private readonly noted: NotedStatus
  private seen: { looks: string; trees: ReadonlyMap<string, Tree> } | undefined
  private readonly writing = new Map<string, Promise<string>>()

  constructor(settings: TreeRemoteSettings, source: TreeSource, log: Log) {
    this.settings = settings
    this.source = source
    this.log = log
    const { folder, id, shownId, interval, root, mountpoint } = settings
    this.folder = folder
    this.noted = new NotedStatus(folder)
    this.id = id
    this.shownId = shownId
    this.interval = interval
    this.root = root
    this.mountpoint = mountpoint
  }

  get lockFile(): string {
    return `${this.folder}.update.lk`
  }

  isHeldBack(): boolean {
    if (!existsSync(this.lockFile)) return false
    const { backend } = this.settings
    this.log(
      'warning',
      `Update lockfile is present for ${backend} remote ${this.shownId}, skipping. If this warning persists, it is possible that the update process was interrupted. Removing ${this.lockFile} or running 'salt-run fileserver.clear_lock ${backend}' will allow updates to continue for this remote.`,
    )
    return true
  }

  /** Return the tree of each exposed environment, as of the last update. */
  environments(): ReadonlyMap<string, Tree> {
    const path = join(this.folder, 'trees.json')
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stat === undefined) return new Map()
    const looks = `${stat.ino} ${stat.mtimeNs} ${stat.size}`
    if (this.seen?.looks !== looks) {
      const all = readJson<Array<[string, Tree]>>(path) ?? []
      this.seen = { looks, trees: new Map(all.filter(([name]) => this.settings.isExposed(name))) }
    }
    return this.seen.trees
  }

  status(): RemoteStatus {
    return this.noted.read()
  }

  failure(error: unknown): string | undefined {
    if (!(error instanceof TreeError)) return undefined
    return withHint(
      `Error occurred fetching ${this.settings.backend} remote '${this.shownId}': ${error.message}`,
      error.hint,
    )
  }

  async update(): Promise<boolean> {
    makeOwnFolder(this.folder)
    return this.noted.during(
      () => this.fetch(),
      (thrown) =>
        thrown instanceof TreeError
          ? thrown
          : new TreeError('AnswerRefused', toError(thrown).message, { cause: thrown }),
    )
  }

  private async fetch(): Promise<boolean> {
    const odd: string[] = []
    const found = [...(await this.source.fetch((text) => odd.push(text)))].sort(([a], [b]) => (a < b ? -1 : 1))
    // minions make paths of the names
    const trees = found.filter(([name]) => isPlainEnv(name))
    if (!this.source.isLocal)
      for (const [name, tree] of trees) if (this.settings.isExposed(name)) await this.folderOf(tree)
    const path = join(this.folder, 'trees.json')
    const isChanged = JSON.stringify(trees) !== JSON.stringify(readJson(path) ?? null)
    if (isChanged) {
      for (const text of odd) this.log('error', text)
      writeWhole(path, JSON.stringify(trees))
    }
    this.removeUnused(new Set(trees.map(([, { id }]) => id)))
    return isChanged
  }

  /** Return the folder of a tree, with its files. */
  folderOf(tree: Tree): Promise<string> {
    const folder = join(this.folder, 'trees', tree.id)
    if (existsSync(folder)) return Promise.resolve(folder)
    const writing = this.writing.get(tree.id) ?? this.write(tree, folder).finally(() => this.writing.delete(tree.id))
    this.writing.set(tree.id, writing)
    return writing
  }

  private async write(tree: Tree, folder: string): Promise<string> {
    makeOwnFolder(join(folder, '..'))
    const made = `${folder}.${randomBytes(6).toString('hex')}`
    try {
      await this.source.write(tree, made)
      // a repository without files gives no folder
      makeOwnFolder(made, 0o755)
      settle(made)
      // another process may have been faster
      if (!existsSync(folder)) renameSync(made, folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' && (error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw error
    } finally {
      rmSync(made, { recursive: true, force: true })
    }
    return folder
  }

  /** The time of a folder says when it was last found in use. */
  private removeUnused(used: ReadonlySet<string>): void {
    const trees = join(this.folder, 'trees')
    if (!existsSync(trees)) return
    for (const name of readdirSync(trees)) {
      const path = join(trees, name)
      if (used.has(name)) utimesSync(path, now(), now())
      else if (now() - statSync(path).mtimeMs / 1000 > KEPT_SECONDS) rmSync(path, { recursive: true, force: true })
    }
  }
}

/**
 * Make a tree safe to serve: remove links that lead out of it or nowhere, and everything that is neither a file nor a
 * folder; give files the modes that Git would use.
 */
function settle(top: string): void {
  const real = realpathSync(top)
  // not the recursive form of readdir, which follows links
  const walk = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const stat = lstatSync(path)
      if (stat.isDirectory()) {
        chmodSync(path, 0o755)
        walk(path)
      } else if (stat.isFile()) chmodSync(path, (stat.mode & 0o100) === 0 ? 0o644 : 0o755)
      else if (!stat.isSymbolicLink() || !leadsInto(path, real)) rmSync(path)
    }
  }
  walk(top)
}

function leadsInto(path: string, top: string): boolean {
  // a link to nothing, or in a circle
  return recover(isAnyError, false, () => {
    const target = realpathSync(path)
    return target === top || target.startsWith(`${top}/`)
  })
}
