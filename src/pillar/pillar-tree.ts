// The files of `pillar_roots`: several directories for each environment, the first that has a file wins. SLS names are
// paths with dots; `a.b` is `a/b.sls` or `a/b/init.sls`.
import { join, normalize } from 'node:path/posix'
import { compareText, compileRegex, type Dict, decodeBytes, fnmatch, str, truthy, type Value } from '../data/mod.ts'
import { type Host, isHostError } from '../host/mod.ts'
import type { FileTree, TreeFile } from '../render/mod.ts'

export interface PillarFile extends TreeFile {
  /** Whether it is an `init.sls`, which is named after its folder. */
  isInit: boolean
}

export class PillarTree implements FileTree {
  private readonly opts: Dict
  private readonly host: Host
  private readonly listed = new Map<string, Promise<string[]>>()

  constructor(opts: Dict, host: Host) {
    this.opts = opts
    this.host = host
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
    for (const directory of this.directories(saltenv)) {
      const file = join(directory, path)
      if ((await statOf(this.host, file))?.type === 'file') {
        return { file, text: decodeBytes(await this.host.read(file)).replace(/\r\n?/g, '\n') }
      }
    }
    return undefined
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
    for (const directory of this.directories(saltenv)) {
      for await (const path of this.walk(directory, '', new Set())) {
        if (path.endsWith('.sls')) names.add(path.replaceAll('/', '.').slice(0, path.endsWith('/init.sls') ? -9 : -4))
      }
    }
    return [...names].sort(compareText)
  }

  /** Follows links to directories, but none into a directory that it is in already. */
  private async *walk(directory: string, prefix: string, above: ReadonlySet<string>): AsyncGenerator<string> {
    const inside = await statOf(this.host, directory)
    if (inside?.type !== 'directory') return
    const identity = `${inside.device}:${inside.inode}`
    if (above.has(identity)) return
    for (const name of await this.host.list(directory)) {
      const path = join(directory, name)
      const found = await statOf(this.host, path)
      if (found?.type !== 'directory') yield prefix + name
      else if (!this.isIgnored(name)) yield* this.walk(path, `${prefix}${name}/`, new Set([...above, identity]))
    }
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

/** Nothing for what cannot be looked at. */
async function statOf(host: Host, path: string) {
  try {
    return await host.stat(path)
  } catch (error) {
    if (isHostError(error)) return undefined
    throw error
  }
}
