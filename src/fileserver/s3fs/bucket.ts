// One bucket of s3fs below the cache: the list of its objects, replaced as a whole, and a file for each version of an object, which
// is renamed into place when it is complete and never changed.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path/posix'
import { BrineError, makeOwnFolder, PRIVATE_FILE, readJson, toError, writeWhole } from '../../base/mod.ts'
import { type Dict, parseXml, type XmlElement } from '../../data/mod.ts'
import { fromNodeError, type Host } from '../../host/mod.ts'
import { NotedStatus } from '../noted-status.ts'
import type { RemoteStatus, UpdatedRemote } from '../remote-updates.ts'
import { askBucket, s3Problem, wholeText } from '../s3.ts'
import { s3Identity } from './role.ts'

export interface S3Object {
  key: string
  size: number
  /** The server's ETag; empty if there is none. */
  etag: string
  /** When it was changed, as the server gives it. */
  modified: string
}

/** The bucket is not accessible, or its answer is invalid. */
class BucketError extends BrineError<'BucketFailed'> {}

const MOST_LIST = 16 << 20
const MOST_PAGES = 10_000

/** Seconds that a file stays after its object was changed or removed, for running downloads. */
const KEPT_SECONDS = 3600

export interface BucketSettings {
  folder: string
  bucket: string
  interval: number
  /** Whether an update fetches the files too. */
  isSynced: boolean
}

export class Bucket implements UpdatedRemote {
  readonly folder: string
  readonly id: string
  readonly shownId: string
  readonly name = undefined
  readonly interval: number
  private readonly opts: Dict
  private readonly host: Host
  private readonly isSynced: boolean
  private readonly noted: NotedStatus
  private seen: { looks: string; objects: ReadonlyMap<string, S3Object> } | undefined
  private readonly fetching = new Map<string, Promise<void>>()

  constructor({ folder, bucket, interval, isSynced }: BucketSettings, opts: Dict, host: Host) {
    this.folder = folder
    this.id = bucket
    this.shownId = bucket
    this.interval = interval
    this.isSynced = isSynced
    this.opts = opts
    this.host = host
    this.noted = new NotedStatus(folder)
  }

  isHeldBack(): boolean {
    return false
  }

  status(): RemoteStatus {
    return this.noted.read()
  }

  failure(error: unknown): string | undefined {
    return error instanceof BucketError
      ? `Error occurred fetching s3fs bucket '${this.id}': ${error.message}`
      : undefined
  }

  /** Return the objects by key, as of the last update. */
  objects(): ReadonlyMap<string, S3Object> {
    const path = join(this.folder, 'objects.json')
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
    if (stat === undefined) return new Map()
    const looks = `${stat.ino} ${stat.mtimeNs} ${stat.size}`
    if (this.seen?.looks !== looks) {
      const all = readJson<S3Object[]>(path) ?? []
      this.seen = { looks, objects: new Map(all.map((object) => [object.key, object])) }
    }
    return this.seen.objects
  }

  async update(): Promise<boolean> {
    makeOwnFolder(this.folder)
    return this.noted.during(() => this.fetch(), failed)
  }

  private async fetch(): Promise<boolean> {
    const objects = await this.listed()
    if (this.isSynced) for (const object of objects) if (!object.key.endsWith('/')) await this.file(object)
    const path = join(this.folder, 'objects.json')
    const isChanged = JSON.stringify(objects) !== JSON.stringify(readJson(path) ?? null)
    if (isChanged) writeWhole(path, JSON.stringify(objects))
    this.removeUnused(new Set(objects.map(objectVersion)))
    return isChanged
  }

  private async listed(): Promise<S3Object[]> {
    const found: S3Object[] = []
    let marker = ''
    for (let page = 0; page < MOST_PAGES; page++) {
      const login = await s3Identity(this.host, this.opts)
      const response = await askBucket(this.host, this.opts, { bucket: this.id, path: '/', query: { marker }, login })
      if (response.status >= 300) throw new BucketError('BucketFailed', await s3Problem(response))
      const answer = parseXml(await wholeText(response.body, MOST_LIST))
      const objects = answer.children.flatMap((child) => (isContents(child) ? [objectOf(child)] : []))
      found.push(...objects.filter(({ key }) => isPlainKey(key)))
      const last = objects.at(-1)?.key
      if (textIn(answer, 'IsTruncated') !== 'true' || last === undefined) return found
      if (last === marker) throw new BucketError('BucketFailed', 'the list of the bucket does not go on')
      marker = last
    }
    throw new BucketError('BucketFailed', 'the list of the bucket does not end')
  }

  /** Return the path of the file of an object, and fetch it if needed. */
  async file(object: S3Object): Promise<string> {
    const version = objectVersion(object)
    const path = join(this.folder, 'files', version)
    if (existsSync(path)) return path
    const fetching = this.fetching.get(version) ?? this.download(object, path)
    this.fetching.set(version, fetching)
    try {
      await fetching
    } catch (error) {
      throw failed(error)
    } finally {
      this.fetching.delete(version)
    }
    return path
  }

  private async download({ key, etag, size }: S3Object, path: string): Promise<void> {
    const login = await s3Identity(this.host, this.opts)
    const response = await askBucket(this.host, this.opts, { bucket: this.id, path: `/${key}`, login })
    if (response.status >= 300) throw new BucketError('BucketFailed', `${key}: ${await s3Problem(response)}`)
    makeOwnFolder(join(path, '..'))
    const made = `${path}.${randomBytes(6).toString('hex')}`
    try {
      await this.host.writeStream(made, response.body, { mode: PRIVATE_FILE })
      const given = response.headers.get('Etag')
      if (statSync(made).size !== size || (given && etag !== '' && given !== etag))
        throw new BucketError('BucketFailed', `${key} is not what the list says: it changed meanwhile`)
      renameSync(made, path)
    } finally {
      rmSync(made, { force: true })
    }
  }

  /** The time of a file says when it was last found in use. */
  private removeUnused(used: ReadonlySet<string>): void {
    const folder = join(this.folder, 'files')
    if (!existsSync(folder)) return
    const now = Date.now() / 1000
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const age = now - statSync(path).mtimeMs / 1000
      if (used.has(name)) {
        if (age > KEPT_SECONDS / 2) utimesSync(path, now, now)
      } else if (age > 2 * KEPT_SECONDS) rmSync(path, { force: true })
    }
  }
}

const failed = (thrown: unknown): BucketError =>
  thrown instanceof BucketError
    ? thrown
    : new BucketError('BucketFailed', toError(fromNodeError(thrown)).message, { cause: thrown })

/** Names the content of an object at one time; it becomes the name of a file. */
export const objectVersion = ({ key, size, etag, modified }: S3Object): string =>
  createHash('sha256')
    .update(JSON.stringify([key, size, etag, modified]))
    .digest('hex')

/** Whether a key is safe as a path on minions: no parent directories and no control characters. */
const isPlainKey = (key: string): boolean =>
  !/[\0-\x1f\x7f\\]/.test(key) &&
  key
    .replace(/\/$/, '')
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')

const isContents = (child: XmlElement | string): child is XmlElement =>
  typeof child !== 'string' && localName(child) === 'Contents'

const localName = ({ name }: XmlElement): string => name.replace(/^.*[}:]/, '')

function textIn(element: XmlElement, name: string): string {
  const child = element.children.find((one) => typeof one !== 'string' && localName(one) === name)
  return typeof child === 'object' ? child.children.filter((one) => typeof one === 'string').join('') : ''
}

function objectOf(entry: XmlElement): S3Object {
  const [key, etag, size, modified] = ['Key', 'ETag', 'Size', 'LastModified'].map((name) => textIn(entry, name))
  return { key: key!, etag: etag!, size: Number(size), modified: modified! }
}
