// Shared code of file clients: the cache paths of sources, and sources that are no `salt://` files.
import { basename, dirname, isAbsolute, join } from 'node:path/posix'
import { isAskedByTarget, isLogged, type Log, namedLog, recover, silentLog } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, parseSaltUrl, SaltError, schemeOf, urlParts } from '../data/mod.ts'
import { type FileStat, type Host, isHostError } from '../host/mod.ts'
import { download } from './download.ts'
import { downloadOnTarget, targetFetcher } from './download-on-target.ts'
import type { FetchOptions, FileClient, FileSum } from './file-client.ts'
import { KnownHashes } from './known-hashes.ts'

const HASH_LENGTHS: ReadonlyMap<number, string> = new Map([
  [128, 'sha512'],
  [96, 'sha384'],
  [64, 'sha256'],
  [56, 'sha224'],
  [40, 'sha1'],
  [32, 'md5'],
])

/** Names of the usual hashes. */
export const HASH_TYPES: ReadonlySet<string> = new Set(HASH_LENGTHS.values())

export abstract class CachingClient implements FileClient {
  protected readonly opts: Dict
  /** The machine of the cache. */
  protected readonly host: Host
  /** The machine of destinations and of paths that are no URLs. */
  protected readonly target: Host
  protected readonly hashes: KnownHashes
  protected readonly log: Log
  /** Copies that a machine over SSH fetched itself, by the path that they would have in the cache. */
  private readonly onTarget = new Map<string, string>()

  /** The target is another machine than that of the cache where functions run agentless. */
  constructor(opts: Dict, host: Host, log: Log = silentLog, target: Host = host) {
    this.opts = opts
    this.host = host
    this.target = target
    this.log = namedLog(log, 'salt.fileclient')
    this.hashes = new KnownHashes(host)
  }

  abstract envs(): Promise<string[]>
  abstract files(saltenv: string, prefix?: string): Promise<string[]>
  abstract directories(saltenv: string, prefix?: string): Promise<string[]>
  abstract emptyDirectories(saltenv: string, prefix?: string): Promise<string[]>
  abstract symlinks(saltenv: string, prefix?: string): Promise<Map<string, string>>
  abstract hash(url: string, saltenv: string): Promise<FileSum | undefined>
  abstract stat(url: string, saltenv: string): Promise<FileStat | undefined>
  abstract fetch(url: string, options: FetchOptions): Promise<string | false>

  protected get cachedir(): string {
    return option(this.opts, 'cachedir')
  }

  /** Makes room for a copy: false when its directory is missing and may not be made. */
  protected async prepare(path: string, options: FetchOptions): Promise<boolean> {
    const host = this.sideOf(options)
    const there = await host.stat(path)
    const parent = dirname(path)
    const directory = await host.stat(parent)
    if (directory?.type !== 'directory') {
      if (options.dest && !options.makedirs) return false
      // a file that became a directory makes room
      if (directory?.type === 'file') await host.remove(parent)
      await host.makeDirectory(parent, { parents: true })
    }
    if (there?.type === 'directory') await host.removeDirectory(path, { recursive: true })
    return true
  }

  /** The machine that gets a copy. */
  protected sideOf({ dest }: FetchOptions): Host {
    return dest ? this.target : this.host
  }

  /** Append the file name if the destination is an existing directory or ends with a slash. */
  protected async within(dest: string, path: string): Promise<string> {
    const isDirectory = dest.endsWith('/') || (await this.target.stat(dest))?.type === 'directory'
    return isDirectory ? join(dest, basename(path)) : dest
  }

  protected cacheTarget(path: string, saltenv: string): string {
    return this.cachePlace('files', saltenv, path.replace(/^\|/, ''))
  }

  /**
   * Return a path below a folder of the cache. Callers name environments and paths, and the cache of a target over SSH is on the controller,
   * so dots in them must not lead out of the folder.
   */
  private cachePlace(folder: string, ...parts: readonly string[]): string {
    return join(this.cachedir, folder, join('/', ...parts))
  }

  /** Log the origin of a file of the file server. */
  protected tellFetched(path: string, saltenv: string, from: 'cache' | 'server', sum: FileSum): void {
    if (!isLogged(this.log, 'debug')) return
    const how = from === 'cache' ? 'is unchanged in the cache' : 'was fetched'
    this.log('debug', `File salt://${path} of saltenv ${saltenv} ${how}, ${sum.hash_type} ${sum.hsum}`)
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
    const place = options.dest ? await this.within(options.dest, last) : this.externalPath(url, options.saltenv)
    if (options.dest && !options.makedirs && (await this.target.stat(dirname(place)))?.type !== 'directory')
      return false
    return (await this.fetchOnTarget(url, place, options)) ?? this.fetchHere(url, place, options)
  }

  /** Let a machine over SSH fetch a source itself. Undefined where it cannot. */
  private async fetchOnTarget(url: string, place: string, options: FetchOptions): Promise<string | undefined> {
    const { target } = this
    const fetcher = await targetFetcher(target, this.opts, url)
    if (fetcher === 'missing') {
      const text = 'The target has neither curl nor wget, so the controller fetches'
      this.log('warning', `${text} ${withoutUser(url)}. Install curl there to let the target fetch it.`)
    }
    if (fetcher === undefined || fetcher === 'missing') return undefined
    const path = options.dest ? place : join((await target.sessionFolder!())!, place.slice(this.cachedir.length))
    if (!options.dest && options.sourceHash && (await this.hasHash(target, path, options.sourceHash))) return path
    await target.makeDirectory(dirname(path), { parents: true })
    await downloadOnTarget(target, fetcher, url, path, options)
    if (!options.dest) this.onTarget.set(place, path)
    this.log('debug', `File ${withoutUser(url)} was fetched to ${path} by ${fetcher.name} of the target`)
    return path
  }

  private async fetchHere(url: string, place: string, options: FetchOptions): Promise<string> {
    if (isAskedByTarget()) {
      const why = 'the controller asks no server for a module on the target'
      throw new SaltError(
        'MinionError',
        `Could not fetch ${withoutUser(url)}: ${why}. Install curl or wget on the target`,
      )
    }
    const host = this.sideOf(options)
    if (!options.dest && options.sourceHash && (await this.hasHash(host, place, options.sourceHash))) return place
    await host.makeDirectory(dirname(place), { parents: true })
    await download(host, this.opts, url, place, options)
    this.log('debug', `File ${withoutUser(url)} was fetched to ${place}`)
    return place
  }

  private async hasHash(host: Host, path: string, sourceHash: string): Promise<boolean> {
    const wanted = sourceHash.slice(sourceHash.lastIndexOf('=') + 1)
    const form = HASH_LENGTHS.get(wanted.length)
    if (form === undefined) return false
    return recover(isHostError, false, async () => (await host.hash(path, form)) === wanted)
  }

  async cached(url: string, saltenv: string): Promise<string> {
    const parsed = parseSaltUrl(url)
    const path = parsed.path.replace(/^[|/]+/, '')
    const candidates = [
      () => this.cachePlace('files', parsed.saltenv ?? saltenv, path),
      () => this.cachePlace('localfiles', path),
      () => this.externalPath(parsed.path, parsed.saltenv ?? saltenv),
    ]
    for (const place of candidates) {
      const candidate = place()
      const fetched = this.onTarget.get(candidate)
      if (fetched !== undefined) return fetched
      if (await this.host.stat(candidate)) return candidate
    }
    return ''
  }

  cachePath(url: string, saltenv: string): string {
    const scheme = schemeOf(url)
    if (scheme === '') return url
    if (scheme !== 'salt') return this.externalPath(url, saltenv)
    const parsed = parseSaltUrl(url)
    return this.cachePlace('files', parsed.saltenv ?? saltenv, parsed.path.replace(/^[|/]+/, ''))
  }

  renderedPath(url: string, saltenv: string): string {
    return this.externalPath(url, saltenv)
  }

  /** Names and passwords are no part of the path, and neither is the colon before a port. */
  private externalPath(url: string, saltenv: string): string {
    const { netloc, path } = urlParts(url)
    const query = /\?([^#]*)/.exec(url)?.[1]
    const server = netloc.slice(netloc.lastIndexOf('@') + 1).replace(/:(?=\d+$)/, '')
    return this.cachePlace('extrn_files', saltenv, join('/', server, query ? `${path}-${query}` : path))
  }
}

export const bare = (prefix: string): string => prefix.replace(/^\/+|\/+$/g, '')

export const beginning = (paths: string[], prefix: string): string[] =>
  paths.filter((path) => path.startsWith(bare(prefix)))

/** A URL without the password that may be in it. */
const withoutUser = (url: string): string => url.replace(/\/\/[^/@]*@/, '//').replace(/\?.*/, '?…')
