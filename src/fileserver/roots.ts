// The `roots` backend: directories of this machine, several for each environment; the first that has a file wins.
// Nothing outside a root is served.
import { isAbsolute, join, normalize } from 'node:path/posix'
import { type Dict, str, type Value } from '../data/mod.ts'
import { type FileStat, type Host, unlessRefused } from '../host/mod.ts'
import type { FileBackend, FolderEntry, FolderListing, ServedFile } from './backend.ts'
import { rootsChanges } from './changes.ts'
import { isIgnored } from './ignored.ts'
import type { ListedEnvironments } from './listed-environments.ts'

export class Roots implements FileBackend {
  readonly name = 'roots'
  private readonly opts: Dict
  private readonly host: Host
  private readonly listed: ListedEnvironments | undefined

  constructor(opts: Dict, host: Host, listed?: ListedEnvironments) {
    this.opts = opts
    this.host = host
    this.listed = listed
  }

  private get roots(): Dict {
    const roots = this.opts.get('file_roots')
    return roots instanceof Map ? roots : new Map()
  }

  async envs(): Promise<string[]> {
    return [...this.roots.keys()].map((name) => str(name)).sort()
  }

  clearLists(saltenv: string | null): string[] {
    return this.listed?.clear(saltenv) ?? []
  }

  /** Return the directories of an environment; `__env__` matches every environment that is not listed. */
  directories(saltenv: string): string[] {
    const own = this.roots.get(saltenv)
    if (own === undefined && !isPlainEnv(saltenv)) return []
    const directories = own ?? this.roots.get('__env__') ?? []
    const paths = (Array.isArray(directories) ? (directories as Value[]) : [directories]).map((path) => str(path))
    return own === undefined ? paths.map((path) => path.replaceAll('__env__', saltenv)) : paths
  }

  private get followsLinks(): boolean {
    return this.opts.get('fileserver_followsymlinks') !== false
  }

  /**
   * Return the metadata of a requested path; undefined if the system cannot follow it, such as through too many links.
   */
  private async statOf(path: string): Promise<FileStat | undefined> {
    return unlessRefused(this.host.stat(path), undefined)
  }

  async find(given: string, saltenv: string): Promise<ServedFile | undefined> {
    const rel = normalize(given)
    if (!staysBelow(rel)) return undefined
    for (const root of this.directories(saltenv)) {
      const path = join(root, rel)
      const stat = await this.statOf(path)
      if (stat?.type !== 'file' || isIgnored(this.opts, path)) continue
      if (this.followsLinks || (await this.isInside(root, path))) return { path, rel, stat }
    }
    return undefined
  }

  async folder(given: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    const rel = normalize(given).replace(/\/$/, '')
    if (!staysBelow(rel)) return undefined
    const below = rel === '.' ? '' : rel
    const entries = new Map<string, FolderEntry>()
    let isKnown = false
    for (const root of this.directories(saltenv)) {
      const path = join(root, below)
      if ((await this.statOf(path))?.type !== 'directory') continue
      if (below !== '' && !this.followsLinks && !(await this.isInside(root, path))) continue
      isKnown = true
      for (const entry of await this.entriesOf(path, below))
        if (!entries.has(entry.name)) entries.set(entry.name, entry)
    }
    return isKnown ? [...entries.values()] : undefined
  }

  /** The entries of one directory, chosen as in the list of all files. */
  private async entriesOf(directory: string, below: string): Promise<FolderEntry[]> {
    const entries: FolderEntry[] = []
    for (const name of await this.names(directory)) {
      const rel = below === '' ? name : `${below}/${name}`
      const path = join(directory, name)
      if (isIgnored(this.opts, rel)) continue
      const isLink = (await this.host.lstat(path))?.type === 'link'
      if (isLink && this.opts.get('fileserver_ignoresymlinks') === true) continue
      const stat = await this.host.stat(path)
      if (stat?.type === 'directory') entries.push({ name, path: rel, kind: 'folder', size: null })
      else if (stat?.type === 'file') entries.push({ name, path: rel, kind: 'file', size: stat.size })
    }
    return entries
  }

  private async isInside(root: string, path: string): Promise<boolean> {
    const real = await this.host.realPath(root)
    return (await this.host.realPath(path)).startsWith(`${real}/`)
  }

  async list(saltenv: string): Promise<FolderListing> {
    const found = { files: new Set<string>(), dirs: new Set<string>(), emptyDirs: new Set<string>() }
    const links = new Map<string, string>()
    const directories = this.directories(saltenv)
    for (const root of directories) await this.walk(root, '', { ...found, links }, new Set())
    if (directories.length > 0) this.listed?.note(saltenv)
    const sorted = (paths: Set<string>): string[] => [...paths].sort()
    return {
      files: sorted(found.files),
      dirs: sorted(found.dirs),
      emptyDirs: sorted(found.emptyDirs),
      links: new Map([...links].sort(([a], [b]) => (a < b ? -1 : 1))),
    }
  }

  async changes(): Promise<Dict> {
    const paths = new Set<string>()
    for (const root of (await this.envs()).flatMap((saltenv) => this.directories(saltenv))) {
      const found = { files: new Set<string>(), dirs: new Set<string>(), emptyDirs: new Set<string>() }
      await this.walk(root, '', { ...found, links: new Map() }, new Set())
      for (const rel of found.files) paths.add(join(root, rel))
    }
    return rootsChanges(this.opts, this.host, [...paths])
  }

  private async walk(root: string, below: string, found: Found, entered: Set<string>): Promise<void> {
    const directory = join(root, below)
    const identity = await this.host.stat(directory)
    if (identity === undefined) return
    const key = `${identity.device}:${identity.inode}`
    // a link that leads back up would be walked forever
    if (entered.has(key)) return
    const inside = new Set(entered).add(key)
    for (const name of await this.names(directory)) {
      const rel = below === '' ? name : `${below}/${name}`
      const path = join(root, rel)
      const isLink = (await this.host.lstat(path))?.type === 'link'
      const isDirectory = (await this.host.stat(path))?.type === 'directory'
      const isSkipped = (isLink && this.opts.get('fileserver_ignoresymlinks') === true) || isIgnored(this.opts, rel)
      if (!isSkipped) await this.note(root, { rel, path, isLink, isDirectory }, found)
      if (isDirectory && (!isLink || this.followsLinks)) await this.walk(root, rel, found, inside)
    }
  }

  private async note(root: string, { rel, path, isLink, isDirectory }: Entry, found: Found): Promise<void> {
    const target = isDirectory ? found.dirs : found.files
    target.add(rel)
    if (isDirectory && (await this.names(path)).length === 0) found.emptyDirs.add(rel)
    if (!isLink) return
    const link = await this.host.readLink(path)
    const whole = normalize(link.startsWith('/') ? link : join(path, link.startsWith('..') ? '' : '..', link))
    const isInside = whole === normalize(root) || whole.startsWith(`${normalize(root)}/`)
    if (isInside || !this.followsLinks) found.links.set(rel, link)
  }

  private async names(directory: string): Promise<string[]> {
    return unlessRefused(this.host.list(directory), [])
  }
}

/** Whether a normal path stays below the root that it is put behind. */
export const staysBelow = (path: string): boolean =>
  !isAbsolute(path) && !path.includes('\0') && path !== '..' && !path.startsWith('../')

/** Whether the name of an environment is safe as part of a path: the path stays below its root. */
export function isPlainEnv(saltenv: string): boolean {
  return !saltenv.includes('\0') && saltenv.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}

interface Found {
  files: Set<string>
  dirs: Set<string>
  emptyDirs: Set<string>
  links: Map<string, string>
}

interface Entry {
  rel: string
  path: string
  isLink: boolean
  isDirectory: boolean
}
