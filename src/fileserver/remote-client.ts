// The file client of a minion with a master: it asks the master for lists and hashes, and fetches files that are not in
// the cache piece by piece.
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, parseSaltUrl, str, textOf, type Value } from '../data/mod.ts'
import type { FileStat, Host } from '../host/mod.ts'
import { CachingClient, HASH_TYPES } from './caching-client.ts'
import type { ExpectedFile, FetchOptions, FileSum } from './file-client.ts'
import { Manifests } from './manifest.ts'
import { type PackedPath, Packs } from './packs.ts'

/** Asks the master; `raw` leaves contents as bytes. */
export type AskMaster = (load: Dict, options?: { raw?: boolean }) => Promise<Value>

const request = (cmd: string, fields: Record<string, Value>): Dict =>
  new Map<Value, Value>([['cmd', cmd], ...Object.entries(fields)])

/** The connection of a file client to its master. */
export interface MasterFiles {
  readonly ask: AskMaster
  /** Whether the master is one of Brine, which can list all hashes of an environment, and send many files, in one answer. */
  readonly isBrine: boolean
}

export class RemoteFileClient extends CachingClient {
  private readonly ask: AskMaster
  private readonly manifests: Manifests
  private readonly packs: Packs
  /** Requests for many files that this master refused. */
  private readonly refused = new Set<string>()

  constructor(opts: Dict, host: Host, master: MasterFiles, log?: Log, target?: Host) {
    super(opts, host, log, target)
    this.ask = (load, options) => master.ask(load, options)
    this.manifests = new Manifests((saltenv, known) =>
      this.askBrine(master, request('_file_manifest', { saltenv, known })),
    )
    this.packs = new Packs({
      ask: (saltenv, wanted) => this.askPack(master, saltenv, wanted),
      listed: (path, saltenv) => this.manifests.lastSum(path, saltenv),
      lacks: async ({ path, saltenv, dest }, sum) => !(await this.has(dest ?? this.cacheTarget(path, saltenv), sum)),
    })
  }

  beginRun(): () => void {
    return this.manifests.begin()
  }

  noteChange(): void {
    this.manifests.forget()
  }

  expect(files: readonly ExpectedFile[]): () => void {
    const endings = [this.manifests.hold(), this.packs.expect(files)]
    return () => {
      for (const end of endings) end()
    }
  }

  /**
   * Send a request that masters of Salt, and old ones of Brine, do not have: these return None and are not asked again.
   */
  private async askBrine(master: MasterFiles, load: Dict): Promise<Value> {
    const cmd = str(load.get('cmd')!)
    if (this.refused.has(cmd) || !master.isBrine) return null
    try {
      const answer = await master.ask(load, { raw: true })
      // an unknown command is answered by an empty dict
      if (cmd === '_file_pack' && !(isDict(answer) && answer.has('contents'))) this.refused.add(cmd)
      return answer
    } catch (error) {
      this.refused.add(cmd)
      this.log('debug', `The master does not answer ${cmd}: ${toError(error).message}`)
      return null
    }
  }

  private async askPack(master: MasterFiles, saltenv: string, wanted: readonly PackedPath[]) {
    return packIn(await this.askBrine(master, packRequest(saltenv, wanted)))
  }

  async envs(): Promise<string[]> {
    return texts(await this.ask(request('_file_envs', {})))
  }

  async files(saltenv: string, prefix = ''): Promise<string[]> {
    return texts(await this.ask(request('_file_list', { saltenv, prefix })))
  }

  async directories(saltenv: string, prefix = ''): Promise<string[]> {
    return texts(await this.ask(request('_dir_list', { saltenv, prefix })))
  }

  async emptyDirectories(saltenv: string, prefix = ''): Promise<string[]> {
    return texts(await this.ask(request('_file_list_emptydirs', { saltenv, prefix })))
  }

  async symlinks(saltenv: string, prefix = ''): Promise<Map<string, string>> {
    const links = await this.ask(request('_symlink_list', { saltenv, prefix }))
    return new Map(isDict(links) ? [...links].map(([path, target]) => [str(path), str(target)]) : [])
  }

  async hash(url: string, saltenv: string): Promise<FileSum | undefined> {
    if (!url.startsWith('salt://')) return this.localHash(url)
    const { path, saltenv: named } = parseSaltUrl(url)
    return this.remoteHash(path, named ?? saltenv)
  }

  private async remoteHash(path: string, saltenv: string): Promise<FileSum | undefined> {
    return (await this.manifests.sum(path, saltenv)) ?? this.askHash(path, saltenv)
  }

  private async askHash(path: string, saltenv: string): Promise<FileSum | undefined> {
    const sum = await this.ask(request('_file_hash', { path, saltenv }))
    const hsum = isDict(sum) ? textOf(sum.get('hsum') ?? null) : undefined
    if (hsum === undefined) return undefined
    const found = { hsum, hash_type: str((sum as Dict).get('hash_type') ?? 'sha256') }
    this.manifests.note(path, saltenv, found)
    return found
  }

  private async localHash(path: string): Promise<FileSum | undefined> {
    if ((await this.host.stat(path))?.type !== 'file') return undefined
    const hash_type = option(this.opts, 'hash_type')
    return { hash_type, hsum: await this.host.hash(path, hash_type) }
  }

  /**
   * Return the metadata of a file. The master sends Python's `os.stat`, of which mode, owner, size and times are used.
   */
  async stat(url: string, saltenv: string): Promise<FileStat | undefined> {
    if (!url.startsWith('salt://')) return this.host.stat(url)
    const { path, saltenv: named } = parseSaltUrl(url)
    const answer = await this.ask(request('_file_hash_and_stat', { path, saltenv: named ?? saltenv }))
    const numbers = isList(answer) && answer[1] && isList(answer[1]) ? answer[1].map(Number) : undefined
    if (numbers === undefined || numbers.length < 10) return undefined
    const [mode = 0, inode = 0, device = 0, links = 1, uid = 0, gid = 0, size = 0, ...times] = numbers
    const [atime = 0, mtime = 0, ctime = 0] = times
    return {
      type: 'file',
      mode: mode & 0o7777,
      inode,
      device,
      links,
      uid,
      gid,
      size,
      atime,
      mtime,
      ctime,
      major: 0,
      minor: 0,
    }
  }

  async fetch(url: string, options: FetchOptions): Promise<string | false> {
    const { path, saltenv: named } = parseSaltUrl(url)
    const saltenv = named ?? options.saltenv
    const listed = await this.manifests.sum(path, saltenv)
    const sum = listed ?? (await this.askHash(path, saltenv))
    if (sum === undefined) {
      this.log('debug', `File salt://${path} of saltenv ${saltenv} is not on the master`)
      return false
    }
    const target = options.dest ? await this.within(options.dest, path) : this.cacheTarget(path, saltenv)
    if (await this.has(target, sum)) {
      this.tellFetched(path, saltenv, 'cache', sum)
      return target
    }
    if (!(await this.prepare(target, options))) return false
    const content = await this.packs.content({ path, saltenv }, sum)
    if (content) await this.host.write(target, content)
    else await this.host.writeStream(target, this.pieces(path, saltenv, sum))
    if (listed && !content && (await this.host.hash(target, listed.hash_type)) !== listed.hsum) {
      // the file was changed or removed after the manifest was made
      this.manifests.forget()
      if ((await this.askHash(path, saltenv)) === undefined) await this.host.remove(target)
      return this.fetch(url, options)
    }
    this.tellFetched(path, saltenv, 'server', sum)
    return target
  }

  private async has(target: string, { hash_type, hsum }: FileSum): Promise<boolean> {
    const stat = await this.host.stat(target)
    return stat?.type === 'file' && (await this.hashes.of(target, hash_type, { stat })) === hsum
  }

  private async *pieces(path: string, saltenv: string, sum: FileSum): AsyncGenerator<Uint8Array> {
    for (let loc = 0; ; ) {
      const answer = await this.ask(request('_serve_file', { path, saltenv, loc }), { raw: true })
      const piece = isDict(answer) ? bytesOf(answer.get('data') ?? '') : new Uint8Array()
      if (piece.length === 0) return
      const content = (answer as Dict).has('gzip') ? gunzipSync(piece) : piece
      yield content
      // the hash shows that a piece is the whole file; otherwise an empty piece shows the end
      if (loc === 0 && isWhole(content, sum)) return
      loc += content.length
    }
  }
}

/** Return the request for the contents of files. */
export function packRequest(saltenv: string, wanted: readonly PackedPath[]): Dict {
  const paths = wanted.map(({ path }) => path).join('\n')
  const sums = wanted.map(({ hsum }) => hsum).join('')
  return request('_file_pack', { saltenv, paths, sums })
}

/** Return the contents in an answer to it; undefined where the master gives no packs. */
export function packIn(answer: Value): (Uint8Array | undefined)[] | undefined {
  const contents = isDict(answer) ? (answer.get('contents') ?? null) : null
  return isList(contents) ? contents.map((item) => (item instanceof Uint8Array ? item : undefined)) : undefined
}

const isWhole = (content: Uint8Array, { hash_type, hsum }: FileSum): boolean =>
  HASH_TYPES.has(hash_type) && createHash(hash_type).update(content).digest('hex') === hsum

const texts = (value: Value): string[] => (isList(value) ? value.map(str) : [])

const bytesOf = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : Buffer.from(str(value)))
