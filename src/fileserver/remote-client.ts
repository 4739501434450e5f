// The file client of a minion with a master: lists and hashes come from there, and a file that the cache does not have is
// brought over piece by piece.
import { gunzipSync } from 'node:zlib'
import { type Log, toError } from '../base/mod.ts'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, parseSaltUrl, str, textOf, type Value } from '../data/mod.ts'
import type { FileStat, Host } from '../host/mod.ts'
import { CachingClient } from './caching-client.ts'
import type { FetchOptions, FileSum } from './file-client.ts'
import { Manifests } from './manifest.ts'

/** Asks the master; `raw` leaves contents as bytes. */
export type AskMaster = (load: Dict, options?: { raw?: boolean }) => Promise<Value>

const request = (cmd: string, fields: Record<string, Value>): Dict =>
  new Map<Value, Value>([['cmd', cmd], ...Object.entries(fields)])

/** How a file client reaches its master. */
export interface MasterFiles {
  readonly ask: AskMaster
  /** Whether the master is one of Brine, which can list all hashes of an environment in one answer. */
  readonly isBrine: boolean
}

export class RemoteFileClient extends CachingClient {
  private readonly ask: AskMaster
  private readonly manifests: Manifests
  /** Whether this master refused to give a manifest. */
  private lacksManifests = false

  constructor(opts: Dict, host: Host, master: MasterFiles, log?: Log, target?: Host) {
    super(opts, host, log, target)
    this.ask = (load, options) => master.ask(load, options)
    this.manifests = new Manifests((saltenv, known) => this.askManifest(master, saltenv, known))
  }

  beginRun(): () => void {
    return this.manifests.begin()
  }

  noteChange(): void {
    this.manifests.forget()
  }

  private async askManifest(master: MasterFiles, saltenv: string, known: string): Promise<Value> {
    if (this.lacksManifests || !master.isBrine) return null
    try {
      return await master.ask(request('_file_manifest', { saltenv, known }), { raw: true })
    } catch (error) {
      this.lacksManifests = true
      this.log('debug', `The master gives no manifest of its files: ${toError(error).message}`)
      return null
    }
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
    return hsum === undefined ? undefined : { hsum, hash_type: str((sum as Dict).get('hash_type') ?? 'sha256') }
  }

  private async localHash(path: string): Promise<FileSum | undefined> {
    if ((await this.host.stat(path))?.type !== 'file') return undefined
    const hash_type = option(this.opts, 'hash_type')
    return { hash_type, hsum: await this.host.hash(path, hash_type) }
  }

  /** The master tells what Python's `os.stat` gives, of which mode, owner, size and times count. */
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
    const target = options.dest ? await this.within(options.dest, path) : await this.cacheTarget(path, saltenv)
    const there = await this.host.stat(target)
    if (there?.type === 'file' && (await this.hashes.of(target, sum.hash_type, { stat: there })) === sum.hsum) {
      this.tellFetched(path, saltenv, 'cache', sum)
      return target
    }
    if (!(await this.prepare(target, options))) return false
    await this.host.writeStream(target, this.pieces(path, saltenv))
    if (listed && (await this.host.hash(target, listed.hash_type)) !== listed.hsum) {
      // the file was changed or removed after the manifest was made
      this.manifests.forget()
      if ((await this.askHash(path, saltenv)) === undefined) await this.host.remove(target)
      return this.fetch(url, options)
    }
    this.tellFetched(path, saltenv, 'server', sum)
    return target
  }

  private async *pieces(path: string, saltenv: string): AsyncGenerator<Uint8Array> {
    for (let loc = 0; ; ) {
      const answer = await this.ask(request('_serve_file', { path, saltenv, loc }), { raw: true })
      const piece = isDict(answer) ? bytesOf(answer.get('data') ?? '') : new Uint8Array()
      if (piece.length === 0) return
      const content = (answer as Dict).has('gzip') ? gunzipSync(piece) : piece
      yield content
      loc += content.length
    }
  }
}

const texts = (value: Value): string[] => (isList(value) ? value.map(str) : [])

const bytesOf = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : Buffer.from(str(value)))
