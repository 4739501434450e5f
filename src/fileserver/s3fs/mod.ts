// The `s3fs` backend: buckets of S3 as environments, or their top folders as environments.
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path/posix'
import { type Log, silentLog } from '../../base/mod.ts'
import { option, rawOption } from '../../config/mod.ts'
import { type Dict, isDict, isList, SaltError, str, type Value } from '../../data/mod.ts'
import type { Host } from '../../host/mod.ts'
import {
  type FileBackend,
  type FolderEntry,
  type FolderListing,
  noFiles,
  type ServedFile,
  type UpdateReport,
  type UpdateRequest,
} from '../backend.ts'
import { isIgnored } from '../ignored.ts'
import { RemoteUpdates, remoteStatus } from '../remote-updates.ts'
import { Bucket, objectVersion, type S3Object } from './bucket.ts'

interface Placed {
  bucket: Bucket
  object: S3Object
}

export class S3Files implements FileBackend {
  readonly name = 's3fs'
  private readonly opts: Dict
  private readonly host: Host
  private readonly log: Log
  private buckets: Map<string, Bucket> | undefined
  private updates: RemoteUpdates | undefined

  constructor(opts: Dict, host: Host, log: Log) {
    this.opts = opts
    this.host = host
    this.log = log
  }

  private get home(): string {
    return join(option(this.opts, 'cachedir'), 's3cache')
  }

  /** The buckets of each environment; undefined where environments are the top folders of all buckets. */
  private byEnvironment(): Map<string, string[]> | undefined {
    const given = rawOption(this.opts, 's3.buckets') ?? new Map()
    if (isList(given)) return undefined
    if (!isDict(given)) throw this.wrong('Incorrect s3.buckets type given in config')
    const namesOf = (value: Value): string[] => (isList(value) ? value.map(str) : [str(value)])
    return new Map([...given].map(([name, value]) => [str(name), namesOf(value)]))
  }

  private all(): Map<string, Bucket> {
    if (this.buckets) return this.buckets
    const given = rawOption(this.opts, 's3.buckets')
    const names = new Set([...(this.byEnvironment()?.values() ?? [isList(given) ? given.map(str) : []])].flat())
    const service = str(rawOption(this.opts, 's3.service_url') ?? '')
    const often = option(this.opts, 's3fs_update_interval')
    const interval = Math.max(0, often === 0 ? 0 : Math.min(often, option(this.opts, 's3.s3_cache_expire')))
    const isSynced = option(this.opts, 's3.s3_sync_on_update')
    const bucketOf = (bucket: string): Bucket => {
      // the name becomes part of the name of a server
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(bucket)) throw this.wrong(`'${bucket}' is no name of a bucket`)
      const key = createHash('sha256')
        .update(JSON.stringify([service, bucket]))
        .digest('hex')
        .slice(0, 32)
      return new Bucket({ folder: join(this.home, key), bucket, interval, isSynced }, this.opts, this.host)
    }
    this.buckets = new Map([...names].map((name) => [name, bucketOf(name)]))
    return this.buckets
  }

  private wrong(text: string): SaltError {
    this.log('error', text)
    return new SaltError('FileserverConfigError', `Failed to load s3fs: ${text}`)
  }

  check(): void {
    this.all()
  }

  async envs(): Promise<string[]> {
    const given = this.byEnvironment()
    if (given) return [...given.keys()].sort()
    const names = [...this.all().values()].flatMap((bucket) => [...bucket.objects().keys()])
    return [...new Set(names.filter((key) => key.includes('/')).map((key) => key.split('/')[0]!))].sort()
  }

  /** Return the buckets of an environment, with the prefix of its keys. */
  private placesOf(saltenv: string): Array<readonly [Bucket, string]> {
    const [given, all] = [this.byEnvironment(), this.all()]
    if (given) return (given.get(saltenv) ?? []).map((name) => [all.get(name)!, ''])
    return saltenv === '' || saltenv.includes('/') ? [] : [...all.values()].map((bucket) => [bucket, `${saltenv}/`])
  }

  /** All objects of an environment by their paths; of one path the first bucket's counts. */
  private objectsOf(saltenv: string): Map<string, Placed> {
    const found = new Map<string, Placed>()
    for (const [bucket, start] of this.placesOf(saltenv)) {
      for (const [key, object] of bucket.objects()) {
        const path = key.slice(start.length)
        if (key.startsWith(start) && path !== '' && !found.has(path)) found.set(path, { bucket, object })
      }
    }
    return found
  }

  async find(path: string, saltenv: string): Promise<ServedFile | undefined> {
    if (path === '' || path.endsWith('/')) return undefined
    for (const [bucket, start] of this.placesOf(saltenv)) {
      const object = bucket.objects().get(`${start}${path}`)
      if (object === undefined || isIgnored(this.opts, object.key)) continue
      const file = await bucket.file(object)
      const stat = await this.host.stat(file)
      // files in buckets have no modes; use the default ones
      if (stat) return { path: file, rel: path, stat: { ...stat, mode: 0o644 }, content: objectVersion(object) }
    }
    return undefined
  }

  async list(saltenv: string): Promise<FolderListing> {
    const found = noFiles()
    const dirs = new Set<string>()
    for (const [path, { object }] of this.objectsOf(saltenv)) {
      for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) dirs.add(path.slice(0, at))
      if (!path.endsWith('/') && !isIgnored(this.opts, object.key)) found.files.push(path)
    }
    return { ...found, files: found.files.sort(), dirs: [...dirs].sort() }
  }

  async folder(given: string, saltenv: string): Promise<FolderEntry[] | undefined> {
    const path = given.replace(/^\/+|\/+$/g, '')
    const start = path === '' ? '' : `${path}/`
    const entries = new Map<string, FolderEntry>()
    let isKnown = false
    for (const [key, { object }] of this.objectsOf(saltenv)) {
      if (!key.startsWith(start) || isIgnored(this.opts, object.key)) continue
      isKnown = true
      const [name = '', ...more] = key.slice(start.length).split('/')
      const kind = more.length > 0 ? 'folder' : 'file'
      if (name === '' || entries.has(name)) continue
      entries.set(name, { name, path: `${start}${name}`, kind, size: kind === 'file' ? object.size : null })
    }
    return isKnown ? [...entries.values()] : undefined
  }

  update(wish: UpdateRequest = {}): Promise<UpdateReport> {
    return this.updater().update(wish)
  }

  refresh(): Promise<void> {
    return this.updater().refresh()
  }

  interval(): number | undefined {
    const [first] = this.all().values()
    return first && first.interval > 0 ? first.interval : undefined
  }

  private updater(): RemoteUpdates {
    this.updates ??= new RemoteUpdates(this.name, this.opts, [...this.all().values()], this.log, () => false)
    return this.updates
  }

  clearCache(): void {
    rmSync(this.home, { recursive: true, force: true })
  }

  async status(): Promise<Dict[]> {
    return [...this.all().values()].map((bucket) => remoteStatus(bucket, bucket.objects().size))
  }
}

interface Opened {
  files: S3Files
  /** The first to ask may have had no log. */
  log: Log
}

const opened = new WeakMap<Dict, Opened>()

/** Return the backend for a set of options: one instance per set, because it caches what it has read. */
export function openS3Files(given: Dict, host: Host, log: Log): S3Files {
  // a target of salt-ssh is served from the buckets of the master
  const masters = given.get('__master_opts__')
  const opts = masters !== undefined && isDict(masters) ? masters : given
  const before = opened.get(opts)
  if (before) {
    if (log !== silentLog) before.log = log
    return before.files
  }
  const say: Log = (level, text) => (opened.get(opts)?.log ?? log)(level, text)
  const files = new S3Files(opts, host, say)
  opened.set(opts, { files, log })
  return files
}
