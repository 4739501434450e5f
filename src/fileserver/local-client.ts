// The file client of a minion without master: it serves itself from its `file_roots`, and copies what is used into its
// cache as it would from a master.
import { isLogged, type Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, parseSaltUrl } from '../data/mod.ts'
import type { FileStat, Host } from '../host/mod.ts'
import { bare, beginning, CachingClient } from './caching-client.ts'
import type { FetchOptions, FileSum } from './file-client.ts'
import { Roots } from './roots.ts'

export class LocalFileClient extends CachingClient {
  private readonly roots: Roots

  constructor(opts: Dict, host: Host, log?: Log, target?: Host) {
    super(opts, host, log, target)
    this.roots = new Roots(opts, host)
  }

  async envs(): Promise<string[]> {
    return this.roots.envs()
  }

  async files(saltenv: string, prefix = ''): Promise<string[]> {
    return beginning((await this.roots.list(saltenv)).files, prefix)
  }

  async directories(saltenv: string, prefix = ''): Promise<string[]> {
    return beginning((await this.roots.list(saltenv)).dirs, prefix)
  }

  async emptyDirectories(saltenv: string, prefix = ''): Promise<string[]> {
    return beginning((await this.roots.list(saltenv)).emptyDirs, prefix)
  }

  async symlinks(saltenv: string, prefix = ''): Promise<Map<string, string>> {
    const { links } = await this.roots.list(saltenv)
    return new Map([...links].filter(([path]) => path.startsWith(bare(prefix))))
  }

  private async locate(url: string, saltenv: string): Promise<string | undefined> {
    const parsed = parseSaltUrl(url)
    return (await this.roots.find(parsed.path, parsed.saltenv ?? saltenv))?.path
  }

  async hash(url: string, saltenv: string): Promise<FileSum | undefined> {
    const hash_type = option(this.opts, 'hash_type')
    if (!url.startsWith('salt://')) {
      if ((await this.target.stat(url))?.type !== 'file') return undefined
      return { hash_type, hsum: await this.target.hash(url, hash_type) }
    }
    const path = await this.locate(url, saltenv)
    return path === undefined ? undefined : { hash_type, hsum: await this.hashes.of(path, hash_type) }
  }

  async stat(url: string, saltenv: string): Promise<FileStat | undefined> {
    if (!url.startsWith('salt://')) {
      const stat = await this.target.stat(url)
      return stat?.type === 'file' ? stat : undefined
    }
    const path = await this.locate(url, saltenv)
    return path === undefined ? undefined : this.host.stat(path)
  }

  async fetch(url: string, options: FetchOptions): Promise<string | false> {
    const { path, saltenv: named } = parseSaltUrl(url)
    const saltenv = named ?? options.saltenv
    const source = (await this.roots.find(path, saltenv))?.path
    if (source === undefined) return false
    const target = options.dest ? await this.within(options.dest, path) : await this.cacheTarget(path, saltenv)
    const host = this.sideOf(options)
    const there = await host.stat(target)
    if (there?.type === 'file' && (await this.sameContent(source, host, target, there.size))) {
      await this.tellCopied(path, saltenv, 'cache', source)
      return target
    }
    if (!(await this.prepare(target, options))) return false
    await host.writeStream(target, this.host.stream(source))
    await this.tellCopied(path, saltenv, 'server', source)
    return target
  }

  private async tellCopied(path: string, saltenv: string, from: 'cache' | 'server', source: string): Promise<void> {
    if (!isLogged(this.log, 'debug')) return
    const hash_type = option(this.opts, 'hash_type')
    this.tellFetched(path, saltenv, from, { hash_type, hsum: await this.hashes.of(source, hash_type) })
  }

  private async sameContent(source: string, host: Host, target: string, size: number): Promise<boolean> {
    if ((await this.host.stat(source))?.size !== size) return false
    const there = host === this.host ? this.hashes.of(target, 'sha256') : host.hash(target, 'sha256')
    return (await this.hashes.of(source, 'sha256')) === (await there)
  }
}
