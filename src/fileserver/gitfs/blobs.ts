// Blobs as files below the cache, named by their ids: written once, as a whole, and never changed. A blob of which only
// the hash is requested needs no file. Files without use for a while are removed, sooner if all together are large.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { folderNames, makeOwnFolder, PRIVATE_FILE } from '../../base/mod.ts'
import type { GitMirror } from '../../git/mod.ts'

/** How long a file counts as existing without another check, in milliseconds. Files are kept much longer than that. */
const SURE_MS = 600_000

/** Seconds without use after which a file may go. */
const KEPT_SECONDS = 3 * 86_400

/** Bytes of all files together, about: beyond that the files that were not used for longest go. */
const MOST_BYTES = 4 * 2 ** 30

/**
 * Seconds after its last recorded use in which a file may still be read: a use is recorded every SURE_MS, and trusted
 * for as long.
 */
const READ_SECONDS = 3600

const MOST_KNOWN = 100_000

/** Between looks for files that may go, in milliseconds. */
const REAP_MS = 3_600_000

interface Known {
  size: number
  /** With the default algorithm. */
  hash: string
}

export class BlobFiles {
  private readonly folder: string
  private readonly hashType: string
  private readonly known = new Map<string, Known>()
  /** Until when each file is known to be on disk. */
  private readonly sure = new Map<string, number>()
  private readonly writing = new Map<string, Promise<Known | undefined>>()
  private readonly reading = new Map<string, Promise<Known | undefined>>()
  private readonly mostBytes: number
  /** Written since files were last removed. */
  private newBytes = 0
  private count = 0
  private nextReap = 0

  constructor(folder: string, hashType: string, mostBytes = MOST_BYTES) {
    this.folder = folder
    this.hashType = hashType
    this.mostBytes = mostBytes
  }

  pathOf(id: string): string {
    return join(this.folder, id.slice(0, 2), id.slice(2))
  }

  /** Return size and hash of a blob; undefined when the mirror does not have it. */
  async look(id: string, mirror: GitMirror): Promise<Known | undefined> {
    const known = this.known.get(id)
    if (known) return known
    // many may ask for one large blob at once
    const reading = this.reading.get(id) ?? this.read(id, mirror).finally(() => this.reading.delete(id))
    this.reading.set(id, reading)
    return reading
  }

  /** The same, after the file of the blob is on disk. */
  async file(id: string, mirror: GitMirror): Promise<Known | undefined> {
    if ((this.sure.get(id) ?? 0) < performance.now() && !this.isThere(id)) {
      const writing = this.writing.get(id) ?? this.write(id, mirror)
      this.writing.set(id, writing)
      try {
        if ((await writing) === undefined) return undefined
      } finally {
        this.writing.delete(id)
      }
    }
    return this.look(id, mirror)
  }

  /** Return the hash of a blob by any algorithm. */
  async hash(id: string, algorithm: string, mirror: GitMirror): Promise<string> {
    if (algorithm === this.hashType) return (await this.look(id, mirror))!.hash
    const hash = createHash(algorithm)
    await mirror.objects.copy(id, (piece) => hash.update(piece))
    return hash.digest('hex')
  }

  private isThere(id: string): boolean {
    const path = this.pathOf(id)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) return false
    const now = Date.now()
    if (now - stat.mtimeMs > SURE_MS) utimesSync(path, now / 1000, now / 1000)
    remember(this.sure, id, performance.now() + SURE_MS)
    return true
  }

  private async read(
    id: string,
    mirror: GitMirror,
    take: (piece: Buffer) => void = () => {},
  ): Promise<Known | undefined> {
    const hash = createHash(this.hashType)
    const size = await mirror.objects.copy(id, (piece) => {
      hash.update(piece)
      take(piece)
    })
    if (size === undefined) return undefined
    const known = { size, hash: hash.digest('hex') }
    remember(this.known, id, known)
    return known
  }

  private async write(id: string, mirror: GitMirror): Promise<Known | undefined> {
    const path = this.pathOf(id)
    if (!existsSync(dirname(path))) {
      makeOwnFolder(this.folder)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    }
    const made = `${path}.${process.pid}.${++this.count}`
    const descriptor = openSync(made, 'wx', PRIVATE_FILE)
    try {
      const known = await this.read(id, mirror, (piece) => {
        for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at)
      }).finally(() => closeSync(descriptor))
      if (known === undefined) rmSync(made)
      else renameSync(made, path)
      if (known !== undefined) {
        remember(this.sure, id, performance.now() + SURE_MS)
        this.newBytes += known.size
      }
      return known
    } catch (error) {
      rmSync(made, { force: true })
      throw error
    }
  }

  /** Remove files that are not needed; not at every update. Return whether it was time. */
  reapSometimes(): boolean {
    if (performance.now() < this.nextReap && this.newBytes < this.mostBytes / 4) return false
    this.nextReap = performance.now() + REAP_MS
    this.newBytes = 0
    this.reap(Date.now() / 1000)
    return true
  }

  /** Remove files without use for long, those of killed writers, and, above the limit, the oldest. */
  private reap(now: number): void {
    const files: Array<{ path: string; size: number; used: number }> = []
    for (const part of folderNames(this.folder)) {
      for (const name of folderNames(join(this.folder, part))) {
        const path = join(this.folder, part, name)
        const stat = statSync(path, { throwIfNoEntry: false })
        if (stat) files.push({ path, size: stat.size, used: stat.mtimeMs / 1000 })
      }
    }
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size, used } of files.sort((one, other) => one.used - other.used)) {
      const isOld = used < now - KEPT_SECONDS
      if (!isOld && (bytes <= this.mostBytes || used > now - READ_SECONDS)) break
      rmSync(path, { force: true })
      bytes -= size
    }
  }

  clear(): void {
    this.sure.clear()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Keep a value; beyond a bound the oldest goes. */
function remember<T>(values: Map<string, T>, id: string, value: T): void {
  values.set(id, value)
  if (values.size > MOST_KNOWN) values.delete(values.keys().next().value!)
}
