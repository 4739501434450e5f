// The file client of a minion without master: it serves itself from its `file_roots`, and copies what is used into its
// cache as it would from a master.
import { basename, dirname, isAbsolute, join } from 'node:path/posix'
import { type Dict, parseSaltUrl, SaltError, schemeOf, str, urlParts } from '../data/mod.ts'
import { type FileStat, type Host, isHostError } from '../host/mod.ts'
import { download } from './download.ts'
import type { FetchOptions, FileClient, FileSum } from './file-client.ts'
import { KnownHashes } from './known-hashes.ts'
import { Roots } from './roots.ts'

const HASH_LENGTHS: ReadonlyMap<number, string> = new Map([
  [128, 'sha512'],
  [96, 'sha384'],
  [64, 'sha256'],
  [56, 'sha224'],
  [40, 'sha1'],
  [32, 'md5'],
])

export class LocalFileClient implements FileClient {
  private readonly opts: Dict
  private readonly host: Host
  private readonly roots: Roots
  private readonly hashes: KnownHashes

  constructor(opts: Dict, host: Host) {
    this.opts = opts
    this.host = host
    this.hashes = new KnownHashes(host)
    this.roots = new Roots(opts, host)
  }

  private get cachedir(): string {
    return str(this.opts.get('cachedir') ?? '/var/cache/salt/minion')
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
    const hash_type = str(this.opts.get('hash_type') ?? 'sha256')
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
    if (there?.type === 'file' && (await this.sameContent(source, target, there.size))) return target
    const directory = await this.host.stat(dirname(target))
    if (directory?.type !== 'directory') {
      if (options.dest && !options.makedirs) return false
      await this.makeCacheDirectory(dirname(target))
    }
    if (there?.type === 'directory') await this.host.removeDirectory(target, { recursive: true })
    await this.host.writeStream(target, this.host.stream(source))
    return target
  }

  /** A file that became a directory makes room. */
  private async makeCacheDirectory(directory: string): Promise<void> {
    if ((await this.host.stat(directory))?.type === 'file') await this.host.remove(directory)
    await this.host.makeDirectory(directory, { parents: true })
  }

  private async sameContent(source: string, target: string, size: number): Promise<boolean> {
    if ((await this.host.stat(source))?.size !== size) return false
    const [a, b] = [await this.hashes.of(source, 'sha256'), await this.hashes.of(target, 'sha256')]
    return a === b
  }

  /** The name goes into a directory that is there, or that the slash says is one. */
  private async within(dest: string, path: string): Promise<string> {
    const isDirectory = dest.endsWith('/') || (await this.host.stat(dest))?.type === 'directory'
    return isDirectory ? join(dest, basename(path)) : dest
  }

  private async cacheTarget(path: string, saltenv: string): Promise<string> {
    return join(this.cachedir, 'files', saltenv, path.replace(/^\|/, ''))
  }

  async fetchUrl(url: string, options: FetchOptions): Promise<string | false> {
    const { scheme, netloc, path } = urlParts(url)
    if (scheme === '' || scheme === 'file') {
      const local = scheme === '' ? url.replace(/\/+$/, '') : join(netloc, path).replace(/\/+$/, '')
      if (!isAbsolute(local)) throw new SaltError('CommandExecutionError', `Path '${local}' is not absolute`)
      return local
    }
    if (scheme === 'salt') return this.fetch(url, options)
    const last = path.length > 1 && !path.endsWith('/') ? url.slice(url.lastIndexOf('/') + 1) : 'index.html'
    const target = options.dest ? await this.within(options.dest, last) : this.externalPath(url, options.saltenv)
    if (options.dest && !options.makedirs && (await this.host.stat(dirname(target)))?.type !== 'directory') return false
    if (!options.dest && options.sourceHash && (await this.hasHash(target, options.sourceHash))) return target
    await this.host.makeDirectory(dirname(target), { parents: true })
    await download(this.host, url, target, options)
    return target
  }

  private async hasHash(path: string, sourceHash: string): Promise<boolean> {
    const wanted = sourceHash.slice(sourceHash.lastIndexOf('=') + 1)
    const form = HASH_LENGTHS.get(wanted.length)
    if (form === undefined) return false
    try {
      return (await this.host.hash(path, form)) === wanted
    } catch (error) {
      if (isHostError(error)) return false
      throw error
    }
  }

  async cached(url: string, saltenv: string): Promise<string> {
    const parsed = parseSaltUrl(url)
    const path = parsed.path.replace(/^[|/]+/, '')
    const candidates = [
      join(this.cachedir, 'files', parsed.saltenv ?? saltenv, path),
      join(this.cachedir, 'localfiles', path),
      this.externalPath(parsed.path, parsed.saltenv ?? saltenv),
    ]
    for (const candidate of candidates) if (await this.host.stat(candidate)) return candidate
    return ''
  }

  cachePath(url: string, saltenv: string): string {
    const scheme = schemeOf(url)
    if (scheme === '') return url
    if (scheme !== 'salt') return this.externalPath(url, saltenv)
    const parsed = parseSaltUrl(url)
    return join(this.cachedir, 'files', parsed.saltenv ?? saltenv, parsed.path.replace(/^[|/]+/, ''))
  }

  /** Names and passwords are no part of the path, and neither is the colon before a port. */
  private externalPath(url: string, saltenv: string): string {
    const { netloc, path } = urlParts(url)
    const query = /\?([^#]*)/.exec(url)?.[1]
    const server = netloc.slice(netloc.lastIndexOf('@') + 1).replace(/:(?=\d+$)/, '')
    return join(this.cachedir, 'extrn_files', saltenv, server, query ? `${path}-${query}` : path)
  }
}

const bare = (prefix: string): string => prefix.replace(/^\/+|\/+$/g, '')

const beginning = (paths: string[], prefix: string): string[] => paths.filter((path) => path.startsWith(bare(prefix)))
