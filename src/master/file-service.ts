// The file server towards minions: contents piece by piece, hashes, lists. Nothing outside the roots is served.
import type { Log } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { briefStr, type Dict, dictFrom, isList, numberOf, textOf, truthy, type Value } from '../data/mod.ts'
import {
  FileServer,
  type FolderListing,
  type FoundFile,
  KnownHashes,
  ManifestBuilder,
  PackBuilder,
  SharedWork,
} from '../fileserver/mod.ts'
import type { Host } from '../host/mod.ts'
import { ownBackends } from '../pybridge/mod.ts'
import { LentAnswer } from '../wire/mod.ts'

/** From this size, buffers are reused: allocating memory for each piece costs as much as reading it. */
const LONG = 1 << 16
const MOST_SPARE = 4
const NOTHING = new Uint8Array(0)

export class FileService {
  private readonly opts: Dict
  private readonly host: Host
  private readonly server: FileServer
  private readonly hashes: KnownHashes
  private readonly manifests: ManifestBuilder
  private readonly packs: PackBuilder
  private readonly listings = new SharedWork<FolderListing>()
  private readonly spare: Uint8Array[] = []
  /** Bytes of contents that were sent so far, before compression. */
  sentBytes = 0

  constructor(opts: Dict, host: Host, log: Log) {
    this.opts = opts
    this.host = host
    this.server = new FileServer(opts, host, log, ownBackends)
    this.hashes = new KnownHashes(host)
    const hashType = option(opts, 'hash_type')
    this.manifests = new ManifestBuilder(this.server, this.hashes, hashType)
    this.packs = new PackBuilder(this.server, this.hashes, host, hashType)
  }

  private find(load: Dict, use: 'find' | 'look' = 'find'): Promise<FoundFile | undefined> {
    const path = textOf(load.get('path') ?? null) ?? ''
    return this.server[use](path.replace(/^salt:\/\//, ''), envOf(load), load.get('fsbackend') ?? null)
  }

  async serve(load: Dict): Promise<Map<string, unknown> | LentAnswer> {
    const found = await this.find(load)
    if (!found)
      return new Map<string, unknown>([
        ['data', ''],
        ['dest', ''],
      ])
    const offset = Math.max(0, numberOf(load.get('loc') ?? 0) ?? 0)
    const length = option(this.opts, 'file_buffer_size')
    // the last request of a file is for the position after its end; files in /proc have size 0
    const isOver = found.stat.size > 0 && offset >= found.stat.size
    const into = found.stat.size - offset > LONG ? (this.spare.pop() ?? Buffer.allocUnsafeSlow(length)) : undefined
    const data = isOver ? NOTHING : await this.host.read(found.path, { offset, length, ...(into && { into }) })
    this.sentBytes += data.length
    const answer = new Map<string, unknown>([
      ['data', data],
      ['dest', found.rel],
    ])
    const level = numberOf(load.get('gzip') ?? 0) ?? 0
    if (level > 0 && data.length > 0) {
      const { gzipSync } = await import('node:zlib')
      answer.set('gzip', level).set('data', gzipSync(data, { level }))
    }
    return into ? new LentAnswer(answer, () => this.keep(into)) : answer
  }

  private keep(memory: Uint8Array): void {
    if (this.spare.length < MOST_SPARE) this.spare.push(memory)
  }

  async hash(load: Dict): Promise<Value> {
    const found = await this.find(load, 'look')
    return found ? this.hashOf(found) : ''
  }

  private async hashOf(found: FoundFile): Promise<Value> {
    const hash_type = option(this.opts, 'hash_type')
    return dictFrom({ hsum: await this.hashes.of(found.path, hash_type, found), hash_type })
  }

  /** Return the hashes of all files of an environment, unless the minion has them. */
  manifest(load: Dict): Promise<Map<string, unknown>> {
    return this.manifests.answer(envOf(load), textOf(load.get('known') ?? null))
  }

  /** Return the contents of many files that still have the hashes which the minion names. */
  async pack(id: string, load: Dict): Promise<Map<string, unknown>> {
    const [paths, sums] = [textOf(load.get('paths') ?? null) ?? '', textOf(load.get('sums') ?? null) ?? '']
    const answer = await this.packs.answer(id, envOf(load), paths, sums)
    for (const content of answer.contents) this.sentBytes += content?.length ?? 0
    return new Map(Object.entries(answer))
  }

  async hashAndStat(load: Dict): Promise<Value> {
    const found = await this.find(load, 'look')
    if (!found) return ['', null]
    return [await this.hashOf(found), statList(found)]
  }

  async locate(load: Dict): Promise<Value> {
    const found = await this.find(load)
    if (!found) return dictFrom({ path: '', rel: '' })
    return dictFrom({ path: found.path, rel: found.rel, stat: statList(found), back: found.back })
  }

  envs(): Promise<string[]> {
    return this.server.envs()
  }

  /** Return the paths of an environment. Requests that come together share a walk through the tree. */
  private listing(load: Dict): Promise<FolderListing> {
    const [saltenv, back] = [envOf(load), load.get('fsbackend') ?? null]
    const walk = (): Promise<FolderListing> => this.server.list(saltenv, back)
    return back === null ? this.listings.fresh(saltenv, walk) : walk()
  }

  async list(load: Dict, what: 'files' | 'dirs' | 'emptyDirs'): Promise<string[]> {
    const all = (await this.listing(load))[what]
    const prefix = prefixOf(load)
    return prefix === '' ? all : all.filter((path) => path.startsWith(prefix))
  }

  async links(load: Dict): Promise<Dict> {
    const { links } = await this.listing(load)
    const prefix = prefixOf(load)
    return new Map<Value, Value>([...links].filter(([path]) => path.startsWith(prefix)))
  }
}

function envOf(load: Dict): string {
  const env = load.get('saltenv') ?? 'base'
  return isList(env) || !truthy(env) ? 'base' : briefStr(env)
}

const prefixOf = (load: Dict): string => (textOf(load.get('prefix') ?? null) ?? '').replace(/^\/+/, '')

/** Return the list that Python's `os.stat` returns. */
function statList({ stat }: FoundFile): Value[] {
  const type = 0o100000
  const seconds = [stat.atime, stat.mtime, stat.ctime].map(Math.floor)
  return [stat.mode | type, stat.inode, stat.device, stat.links, stat.uid, stat.gid, stat.size, ...seconds]
}
