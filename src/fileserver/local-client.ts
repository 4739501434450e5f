// The file client of a minion without a master. The client asks a file server in the same process, and copies the files that the minion
// uses into the cache of the minion, as from a master.
import { isLogged, type Log, shownText } from '../base/mod.ts'
import { option, placeOfOption } from '../config/mod.ts'
import { type Dict, parseSaltUrl } from '../data/mod.ts'
import type { FileStat, Host } from '../host/mod.ts'
import { bare, beginning, CachingClient } from './caching-client.ts'
import type { FetchOptions, FileSum } from './file-client.ts'
import { backendNames } from './names.ts'
import type { LoadOwnBackends } from './own-backends.ts'
import type { FoundFile, ServedFiles } from './served-files.ts'

export class LocalFileClient extends CachingClient {
  private served: Promise<ServedFiles> | undefined
  private readonly loadOwn: LoadOwnBackends | undefined

  /** Without `loadOwn`, the names of users' own backends are unknown. */
  constructor(opts: Dict, host: Host, log?: Log, target?: Host, loadOwn?: LoadOwnBackends) {
    super(opts, host, log, target)
    this.loadOwn = loadOwn
  }

  /** The file server, with news fetched once. Few commands use files, so its backends are loaded at the first use. */
  private server(): Promise<ServedFiles> {
    this.served ??= this.open()
    return this.served
  }

  private async open(): Promise<ServedFiles> {
    const { openServedFiles } = await import('./open-served.ts')
    const server = await openServedFiles(this.opts, this.host, this.log, this.loadOwn)
    for (const name of server.unknown) {
      const found = `Option 'fileserver_backend'${placeOfOption(this.opts, 'fileserver_backend')} names '${shownText(name)}'`
      this.log('error', `${found}, which is not here. There are ${backendNames.join(', ')}`)
    }
    await server.refresh()
    return server
  }

  async envs(): Promise<string[]> {
    return (await this.server()).envs()
  }

  async files(saltenv: string, prefix = ''): Promise<string[]> {
    return beginning((await (await this.server()).list(saltenv)).files, prefix)
  }

  async directories(saltenv: string, prefix = ''): Promise<string[]> {
    return beginning((await (await this.server()).list(saltenv)).dirs, prefix)
  }

  async emptyDirectories(saltenv: string, prefix = ''): Promise<string[]> {
    return beginning((await (await this.server()).list(saltenv)).emptyDirs, prefix)
  }

  async symlinks(saltenv: string, prefix = ''): Promise<Map<string, string>> {
    const { links } = await (await this.server()).list(saltenv)
    return new Map([...links].filter(([path]) => path.startsWith(bare(prefix))))
  }

  private async locate(url: string, saltenv: string): Promise<FoundFile | undefined> {
    const parsed = parseSaltUrl(url)
    return (await this.server()).look(parsed.path, parsed.saltenv ?? saltenv)
  }

  async hash(url: string, saltenv: string): Promise<FileSum | undefined> {
    const hash_type = option(this.opts, 'hash_type')
    if (!url.startsWith('salt://')) {
      if ((await this.target.stat(url))?.type !== 'file') return undefined
      return { hash_type, hsum: await this.target.hash(url, hash_type) }
    }
    const found = await this.locate(url, saltenv)
    return found && { hash_type, hsum: await this.hashes.of(found.path, hash_type, found) }
  }

  async stat(url: string, saltenv: string): Promise<FileStat | undefined> {
    if (!url.startsWith('salt://')) {
      const stat = await this.target.stat(url)
      return stat?.type === 'file' ? stat : undefined
    }
    return (await this.locate(url, saltenv))?.stat
  }

  async fetch(url: string, options: FetchOptions): Promise<string | false> {
    const { path, saltenv: named } = parseSaltUrl(url)
    const saltenv = named ?? options.saltenv
    const source = await (await this.server()).find(path, saltenv)
    if (source === undefined) return false
    const target = options.dest ? await this.within(options.dest, path) : this.cacheTarget(path, saltenv)
    const host = this.sideOf(options)
    const there = await host.stat(target)
    if (there?.type === 'file' && (await this.sameContent(source, host, target, there))) {
      await this.tellCopied(path, saltenv, 'cache', source)
      return target
    }
    if (!(await this.prepare(target, options))) return false
    await host.writeStream(target, this.host.stream(source.path))
    await this.tellCopied(path, saltenv, 'server', source)
    return target
  }

  private async tellCopied(path: string, saltenv: string, from: 'cache' | 'server', source: FoundFile): Promise<void> {
    if (!isLogged(this.log, 'debug')) return
    const hash_type = option(this.opts, 'hash_type')
    this.tellFetched(path, saltenv, from, { hash_type, hsum: await this.hashes.of(source.path, hash_type, source) })
  }

  private async sameContent(source: FoundFile, host: Host, target: string, stat: FileStat): Promise<boolean> {
    if (source.stat.size !== stat.size) return false
    const there = host === this.host ? this.hashes.of(target, 'sha256', { stat }) : host.hash(target, 'sha256')
    return (await this.hashes.of(source.path, 'sha256', source)) === (await there)
  }
}
