// The `minionfs` backend: files that minions pushed, below the id of each. It serves no top files, because data of a
// minion must not affect other minions.
import { basename, isAbsolute, join, normalize } from 'node:path/posix'
import { recover } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, fnmatch, str, type Value } from '../data/mod.ts'
import { type Host, isHostError } from '../host/mod.ts'
import { type FileBackend, type FolderEntry, type FolderListing, noFiles, type ServedFile } from './backend.ts'
import { folderOf } from './folder-of.ts'
import { isIgnored } from './ignored.ts'

export class MinionFiles implements FileBackend {
  readonly name = 'minionfs'
  private readonly opts: Dict
  private readonly host: Host

  constructor(opts: Dict, host: Host) {
    this.opts = opts
    this.host = host
  }

  private get root(): string {
    return join(option(this.opts, 'cachedir'), 'minions')
  }

  /** The path that all files are served below. */
  private get mountPoint(): string {
    const text = option(this.opts, 'minionfs_mountpoint')
    return text.replace(/^salt:\/\//, '').replace(/\/+$/, '')
  }

  private isExposed(id: string): boolean {
    const any = (globs: readonly Value[]): boolean => globs.some((glob) => fnmatch(id, str(glob)))
    if (any(option(this.opts, 'minionfs_blacklist'))) return false
    const only = option(this.opts, 'minionfs_whitelist')
    return only.length === 0 || any(only)
  }

  async envs(): Promise<string[]> {
    return [option(this.opts, 'minionfs_env')]
  }

  async find(given: string, saltenv: string): Promise<ServedFile | undefined> {
    const path = normalize(given)
    if (isAbsolute(path) || path.startsWith('..') || path.includes('\0')) return undefined
    if (saltenv !== option(this.opts, 'minionfs_env') || basename(path) === 'top.sls') return undefined
    if (this.mountPoint !== '' && !path.startsWith(`${this.mountPoint}/`)) return undefined
    const rel = path.slice(this.mountPoint.length).replace(/^\/+/, '')
    const [id = '', ...pushed] = rel.split('/')
    if (pushed.length === 0 || !this.isExposed(id)) return undefined
    const full = join(this.root, id, 'files', ...pushed)
    const stat = await this.host.stat(full)
    return stat?.type === 'file' && !isIgnored(this.opts, full) ? { path: full, rel, stat } : undefined
  }

  async list(saltenv: string): Promise<FolderListing> {
    const found = noFiles()
    if (saltenv !== option(this.opts, 'minionfs_env')) return found
    for (const id of await this.names(this.root)) {
      if (this.isExposed(id)) await this.walk(join(this.root, id, 'files'), join(this.mountPoint, id), found)
    }
    return found
  }

  async folder(given: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    return folderOf(
      await this.list(saltenv),
      given,
      async (path) => (await this.find(path, saltenv))?.stat.size ?? null,
    )
  }

  private async walk(directory: string, shown: string, found: FolderListing): Promise<void> {
    for (const name of await this.names(directory)) {
      const path = join(directory, name)
      const type = (await this.host.lstat(path))?.type
      const rel = join(shown, name)
      if (type === 'directory') {
        found.dirs.push(rel)
        await this.walk(path, rel, found)
      } else if (type === 'file' && !isIgnored(this.opts, rel)) found.files.push(rel)
    }
  }

  private async names(directory: string): Promise<string[]> {
    return recover(isHostError, [], async () => (await this.host.list(directory)).sort())
  }
}
