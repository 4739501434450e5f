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

  constructor(opts: Dict, host: Host, log?: Log) {
    super(opts, host, log)
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
    if (!url.startsWith('salt://')) return (await this.host.stat(url))?.type === 'file' ? url : undefined
    const parsed = parseSaltUrl(url)
    return (await this.roots.find(parsed.path, parsed.saltenv ?? saltenv))?.path
  }

  async hash(url: string, saltenv: string): Promise<FileSum | undefined> {
    const path = await this.locate(url, saltenv)
    if (path === undefined) return undefined
    const hash_type = option(this.opts, 'hash_type')
    return { hash_type, hsum: await this.hashes.of(path, hash_type) }
  }

  async stat(url: string, saltenv: string): Promise<FileStat | undefined> {
    const path = await this.locate(url, saltenv)
    return path === undefined ? undefined : this.host.stat(path)
  }

  async fetch(url: string, options: FetchOptions): Promise<string | false> {
    const { path, saltenv: named } = parseSaltUrl(url)
    const saltenv = named ?? options.saltenv
    const source = (await this.roots.find(path, saltenv))?.path
    if (source === undefined) return false
    const target = options.dest ? await this.within(options.dest, path) : await this.cacheTarget(path, saltenv)
    const there = await this.host.stat(target)
    if (there?.type === 'file' && (await this.sameContent(source, target, there.size))) {
      await this.tellCopied(path, saltenv, 'cache', source)
      return target
    }
    if (!(await this.prepare(target, options))) return false
    await this.host.writeStream(target, this.host.stream(source))
    await this.tellCopied(path, saltenv, 'server', source)
    return target
  }

  private async tellCopied(path: string, saltenv: string, from: 'cache' | 'server', source: string): Promise<void> {
    if (!isLogged(this.log, 'debug')) return
    const hash_type = option(this.opts, 'hash_type')
    this.tellFetched(path, saltenv, from, { hash_type, hsum: await this.hashes.of(source, hash_type) })
  }

  private async sameContent(source: string, target: string, size: number): Promise<boolean> {
    if ((await this.host.stat(source))?.size !== size) return false
    const [a, b] = [await this.hashes.of(source, 'sha256'), await this.hashes.of(target, 'sha256')]
    return a === b
  }
}
