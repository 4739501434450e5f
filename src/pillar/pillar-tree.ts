// The files of `pillar_roots`: several directories for each environment, the first that has a file wins. SLS names are
// paths with dots; `a.b` is `a/b.sls` or `a/b/init.sls`.
import { normalize } from 'node:path/posix'
import { compareText, compileRegex, type Dict, fnmatch, str, truthy, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { FileTree, TreeFile } from '../render/mod.ts'
import { DirectoryFolder, type PillarFolder } from './pillar-folder.ts'

/** Entries of `pillar_roots` that are no directories of this machine, by name. */
export type PillarFolders = ReadonlyMap<string, PillarFolder>

export interface PillarFile extends TreeFile {
  /** Whether it is an `init.sls`, which is named after its folder. */
  isInit: boolean
}

export class PillarTree implements FileTree {
  private readonly opts: Dict
  private readonly host: Host
  private readonly folders: PillarFolders
  private readonly listed = new Map<string, Promise<string[]>>()

  /** `folders`: entries of `pillar_roots` that are not directories, by their text. */
  constructor(opts: Dict, host: Host, folders: PillarFolders = new Map()) {
    this.opts = opts
    this.host = host
    this.folders = folders
  }

  /** All environments, `base` first. */
  environments(): Value[] {
    return ['base', ...[...this.roots().keys()].filter((name) => name !== 'base')]
  }

  directories(saltenv: string): string[] {
    const directories = this.roots().get(saltenv) ?? []
    return Array.isArray(directories) ? directories.map(str) : []
  }

  private roots(): Dict {
    const roots = this.opts.get('pillar_roots')
    return roots instanceof Map ? roots : new Map()
  }

  async read(path: string, saltenv: string): Promise<TreeFile | undefined> {
    if (path.startsWith('/') || path.includes('\0') || path.split('/').includes('..')) return undefined
    for (const folder of this.foldersOf(saltenv)) {
      const found = await folder.read(normalize(path))
      if (found) return found
    }
    return undefined
  }

  private foldersOf(saltenv: string): PillarFolder[] {
    return this.directories(saltenv).map((name) => this.folders.get(name) ?? new DirectoryFolder(this.host, name))
  }

  async sls(name: string, saltenv: string): Promise<PillarFile | undefined> {
    const path = name.replaceAll('.', '/').replace(/^\/+/, '')
    for (const candidate of [`${path}.sls`, `${path}/init.sls`]) {
      const found = await this.read(normalize(candidate), saltenv)
      if (found) return { ...found, isInit: `/${candidate}`.endsWith('/init.sls') }
    }
    return undefined
  }

  /** The names of all SLS files of an environment, sorted. */
  names(saltenv: string): Promise<string[]> {
    let names = this.listed.get(saltenv)
    if (!names) {
      names = this.list(saltenv)
      this.listed.set(saltenv, names)
    }
    return names
  }

  private async list(saltenv: string): Promise<string[]> {
    const names = new Set<string>()
    for (const folder of this.foldersOf(saltenv)) {
      for await (const path of folder.paths((name) => this.isIgnored(name))) {
        if (path.endsWith('.sls')) names.add(path.replaceAll('/', '.').slice(0, path.endsWith('/init.sls') ? -9 : -4))
      }
    }
    return [...names].sort(compareText)
  }

  private isIgnored(name: string): boolean {
    const patterns = (option: string): Value[] => {
      const value = this.opts.get(option) ?? null
      return truthy(value) && Array.isArray(value) ? value : []
    }
    return (
      patterns('file_ignore_regex').some((regex) => compileRegex(str(regex)).search(name) !== null) ||
      patterns('file_ignore_glob').some((glob) => fnmatch(name, str(glob)))
    )
  }
}
