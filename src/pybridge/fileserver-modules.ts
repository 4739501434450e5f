// File server backends from users' own files and extensions, in Salt's form: functions `envs`, `find_file`,
// `serve_file`, `file_hash`, `file_list`, `dir_list`, `symlink_list` and `update`. The data of `serve_file` is copied
// into the cache of this machine, and served from there while `file_hash` is unchanged. A failure is the failure of the
// request: another backend may have another file with that name.
import { createHash } from 'node:crypto'
import { dirname, join, normalize } from 'node:path/posix'
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, numberOf, str, textOf, truthy, type Value } from '../data/mod.ts'
import {
  backendNames,
  type FileBackend,
  type FolderEntry,
  type FolderListing,
  folderOf,
  isPlainEnv,
  noFiles,
  type OwnBackends,
  type ServedFile,
  staysBelow,
  type UpdateRequest,
} from '../fileserver/mod.ts'
import type { FileStat, Host } from '../host/mod.ts'
import { type BoundPlugin, boundPlugin, mayBeOwn } from './bound-plugin.ts'

const FAMILY = 'fileserver'

/** Seconds between two updates, unless `<name>_update_interval` says otherwise. */
const INTERVAL = 60
/** Seconds that an update may take: it may fetch all files. */
const MOST_UPDATE = 3600
/** Pieces of one file; a backend that gives more never ends. */
const MOST_PIECES = 1_000_000

const dictOf = (facts: Record<string, Value>): Dict => new Map<Value, Value>(Object.entries(facts))

class OwnFiles implements FileBackend {
  readonly name: string
  readonly isElsewhere = true
  private readonly opts: Dict
  private readonly host: Host
  private readonly log: Log
  private opening: Promise<BoundPlugin> | undefined
  /** The `file_hash` of each copy. */
  private readonly sums = new Map<string, string>()
  private updated = Number.NEGATIVE_INFINITY

  constructor(name: string, opts: Dict, host: Host, log: Log) {
    this.name = name
    this.opts = opts
    this.host = host
    this.log = log
  }

  private plugin(): Promise<BoundPlugin> {
    const open = async (): Promise<BoundPlugin> => {
      const { name, opts, log } = this
      const plugin = await boundPlugin({ family: FAMILY, name, builtIn: backendNames, opts, log })
      if (plugin) return plugin
      throw new Error(`The file server backend '${name}' does not serve; the log says why`)
    }
    this.opening ??= open()
    this.opening.catch(() => {
      this.opening = undefined
    })
    return this.opening
  }

  private get folderOfCopies(): string {
    return join(option(this.opts, 'cachedir'), 'own_fileserver', this.name)
  }

  private async texts(fun: string, load: Dict): Promise<string[]> {
    const plugin = await this.plugin()
    if (!plugin.has(fun)) return []
    const answer = await plugin.call(fun, [load])
    const paths = isList(answer) ? answer.map(str) : []
    return [...new Set(paths.filter(isPath))].sort()
  }

  async envs(): Promise<string[]> {
    const answer = await (await this.plugin()).call('envs', [])
    return isList(answer) ? answer.map(str).filter(isPlainEnv) : []
  }

  async list(saltenv: string): Promise<FolderListing> {
    if (!isPlainEnv(saltenv)) return noFiles()
    const load = dictOf({ saltenv, prefix: '' })
    const plugin = await this.plugin()
    const links = plugin.has('symlink_list') ? await plugin.call('symlink_list', [load]) : null
    return {
      files: await this.texts('file_list', load),
      dirs: await this.texts('dir_list', load),
      emptyDirs: await this.texts('file_list_emptydirs', load),
      links: linksOf(links),
    }
  }

  async folder(path: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    return folderOf(await this.list(saltenv), path, async () => null)
  }

  async find(given: string, saltenv: string): Promise<ServedFile | undefined> {
    const path = normalize(given)
    if (!isPath(path) || !isPlainEnv(saltenv)) return undefined
    const plugin = await this.plugin()
    const found = await plugin.call('find_file', [path, saltenv])
    if (!isDict(found) || !truthy(found.get('path') ?? null)) return undefined
    const copy = await this.copied(plugin, dictOf({ path, saltenv }), found)
    const mode = modeIn(found.get('stat') ?? null)
    const stat = mode === undefined ? copy.stat : { ...copy.stat, mode }
    return { path: copy.path, rel: textOf(found.get('rel') ?? null) ?? path, stat }
  }

  /** Return the copy of a file; fetch it if it is missing or the backend reports a change. */
  private async copied(plugin: BoundPlugin, load: Dict, found: Dict): Promise<{ path: string; stat: FileStat }> {
    const sum = await this.sumOf(plugin, load, found)
    const key = createHash('sha256')
      .update(`${str(load.get('saltenv')!)}\0${str(load.get('path')!)}`)
      .digest('hex')
    const path = join(this.folderOfCopies, key)
    const there = await this.host.stat(path)
    if (there && sum !== undefined && this.sums.get(path) === sum) return { path, stat: there }
    await this.host.makeDirectory(dirname(path), { parents: true, mode: 0o700 })
    await this.host.writeStream(path, this.pieces(plugin, load, found), { mode: 0o600 })
    if (sum !== undefined) this.sums.set(path, sum)
    return { path, stat: (await this.host.stat(path))! }
  }

  private async sumOf(plugin: BoundPlugin, load: Dict, found: Dict): Promise<string | undefined> {
    if (!plugin.has('file_hash')) return undefined
    const facts = await plugin.call('file_hash', [load, found])
    const sum = isDict(facts) ? facts.get('hsum') : undefined
    return sum === undefined || !truthy(sum) ? undefined : str(sum)
  }

  private async *pieces(plugin: BoundPlugin, load: Dict, found: Dict): AsyncGenerator<Uint8Array> {
    let loc = 0
    for (let count = 0; count < MOST_PIECES; count++) {
      const answer = await plugin.call('serve_file', [new Map([...load, ['loc', loc]]), found])
      const data = isDict(answer) ? (answer.get('data') ?? '') : ''
      const piece = data instanceof Uint8Array ? data : Buffer.from(str(data))
      if (piece.length === 0) return
      loc += piece.length
      yield piece
    }
    throw new Error(`${this.name}.serve_file does not come to an end of ${str(load.get('path')!)}`)
  }

  interval(): number {
    return Math.max(1, numberOf(this.opts.get(`${this.name}_update_interval`) ?? null) ?? INTERVAL)
  }

  async update({ isDue = false }: UpdateRequest): Promise<undefined> {
    const now = performance.now() / 1000
    if (isDue && now - this.updated < this.interval()) return
    this.updated = now
    const plugin = await this.plugin()
    if (plugin.has('update')) await plugin.call('update', [], { most: MOST_UPDATE })
  }

  async refresh(): Promise<void> {
    await this.update({})
  }

  clearCache(): void {
    this.sums.clear()
    const work = async (): Promise<void> => {
      const plugin = await this.plugin()
      if (plugin.has('clear_cache')) await plugin.call('clear_cache', [])
      const folder = this.folderOfCopies
      if (await this.host.stat(folder)) await this.host.removeDirectory(folder, { recursive: true })
    }
    work().catch((error: unknown) => {
      this.log('error', `The cache of ${this.name} was not cleared: ${toError(error).message}`)
    })
  }
}

const isPath = (path: string): boolean => path !== '' && path !== '.' && staysBelow(normalize(path))

/**
 * Return links by their paths: an entry whose path leaves the tree is dropped; the target of a link is only reported.
 */
function linksOf(links: Value): Map<string, string> {
  if (links === null || !isDict(links)) return new Map()
  return new Map([...links].map(([path, to]) => [str(path), str(to)] as const).filter(([path]) => isPath(path)))
}

/** Return the permissions in Python's `os.stat`. */
function modeIn(stat: Value): number | undefined {
  const mode = isList(stat) ? numberOf(stat[0] ?? null) : undefined
  return mode === undefined ? undefined : mode & 0o7777
}

/** The backends from users' own files and extensions, as a parameter of file servers. */
export const ownBackends: OwnBackends = (name, opts, host, log) =>
  mayBeOwn({ family: FAMILY, name, builtIn: backendNames, opts }) ? new OwnFiles(name, opts, host, log) : undefined
