// A backup of a master, also while it runs. First the master fires an event that marks the beginning. When the journal
// has that event, the journal is copied, then each database as one consistent copy, then the rest. So the databases
// contain all data that the journal refers to, and the backup contains everything that was confirmed before the
// beginning.
import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { brineVersion, SALT_VERSION } from '../base/mod.ts'
import { endOf, journalFolder, segmentsIn } from '../bus/mod.ts'
import { option } from '../config/mod.ts'
import type { Dict, TarEntry } from '../data/mod.ts'
import { copyKept, keptDatabases } from '../store/mod.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { leftOut, masterAreas } from './areas.ts'
import { markBeginning } from './beginning.ts'
import { UpkeepError } from './errors.ts'
import {
  ARCHIVE_FORMAT,
  type ArchivedFile,
  type ArchiveHead,
  HEAD_FILE,
  MANIFEST_FILE,
  type Manifest,
} from './manifest.ts'
import { type OwnerNames, OwnerTable } from './owners.ts'
import { noteBackup } from './upgrade-check.ts'

export interface BackupRequest {
  opts: Dict
  file: string
  isWithTrees?: boolean
  encryptTo?: string
  isForced?: boolean
  names?: OwnerNames
  /** Receives the progress as text. */
  progress?(text: string): void
  /** Receives warnings for the user. */
  warn?(text: string): void
}

export interface BackupReport {
  file: string
  bytes: number
  files: number
  head: ArchiveHead
  skipped: string[]
}

export async function backUp(request: BackupRequest): Promise<BackupReport> {
  const file = resolve(request.file)
  const archive = new ArchiveWriter({
    file,
    ...(request.encryptTo !== undefined && { encryptTo: request.encryptTo }),
    ...(request.isForced !== undefined && { isForced: request.isForced }),
  })
  const scratch = mkdtempSync(join(dirname(file), '.brine-backup-'))
  try {
    const { head, files, skipped } = await new Backup(request, archive, scratch).run()
    await archive.finish()
    noteBackup(request.opts, file, head.time)
    return { file, bytes: statSync(file).size, files: files.length, head, skipped }
  } catch (error) {
    await archive.abandon()
    throw error
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Files up to this size are read at once, so that the size in the header is the number of bytes read. */
const READ_AT_ONCE = 8 << 20

class Backup {
  private readonly manifest: Manifest
  private readonly owners: OwnerTable
  private readonly areas: ArchiveHead['areas']
  private readonly done = new Set<string>()
  private readonly isLeftOut: (path: string, name: string) => boolean
  private readonly request: BackupRequest
  private readonly archive: ArchiveWriter
  private readonly scratch: string
  private bytes = 0

  constructor(request: BackupRequest, archive: ArchiveWriter, scratch: string) {
    const { opts, isWithTrees = false, names } = request
    this.request = request
    this.archive = archive
    this.scratch = scratch
    this.owners = new OwnerTable(names)
    this.isLeftOut = leftOut(opts)
    this.areas = masterAreas(opts, isWithTrees).flatMap((area) => {
      const stat = statSync(area.path, { throwIfNoEntry: false })
      return stat ? [{ ...area, mode: stat.mode & 0o777, owner: this.owners.of(stat) }] : []
    })
    const head: ArchiveHead = {
      format: ARCHIVE_FORMAT,
      brine: brineVersion(),
      salt: SALT_VERSION,
      host: hostname(),
      master: option(opts, 'id') || 'master',
      time: new Date().toISOString(),
      areas: this.areas,
      owners: this.owners.list,
    }
    this.manifest = { head, files: [], databases: {}, skipped: [] }
  }

  async run(): Promise<Manifest> {
    const { opts, warn = () => undefined } = this.request
    await this.addText(HEAD_FILE, JSON.stringify(this.manifest.head))
    await markBeginning(opts, this.manifest.head.time, warn)
    for (const { path } of segmentsIn(journalFolder(opts))) await this.addFile(path, { size: endOf(path).bytes })
    for (const { file, schema } of keptDatabases(option(opts, 'cachedir'), option(opts, 'sqlite_queue_dir'))) {
      await this.addDatabase(file, schema.name)
    }
    for (const [index, { path }] of this.areas.entries()) await this.addFolder(path, index)
    for (const text of this.manifest.skipped) warn(text)
    await this.addText(MANIFEST_FILE, JSON.stringify(this.manifest))
    return this.manifest
  }

  private async addText(path: string, text: string): Promise<void> {
    const body = Buffer.from(text)
    await this.archive.add({ path, kind: 'file', size: body.length, mode: 0o600, mtime: Date.now() / 1000 }, [body])
  }

  /** The path of a file inside the archive. */
  private placeOf(path: string): string {
    const index = this.areas.findIndex((area) => path === area.path || path.startsWith(`${area.path}/`))
    if (index < 0) throw new UpkeepError('UnsafePath', `${path} is in no directory of the master`)
    return join(`area-${index}`, relative(this.areas[index]!.path, path))
  }

  private async addDatabase(file: string, name: string): Promise<void> {
    const copy = join(this.scratch, basename(file))
    const version = copyKept(file, copy)
    await this.addFile(file, { from: copy })
    this.manifest.databases[this.placeOf(file)] = { name, version }
    rmSync(copy)
  }

  private async addFolder(folder: string, area: number): Promise<void> {
    const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1))
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (this.done.has(path) || this.isLeftOut(path, entry.name) || this.isOwnFile(path)) continue
      try {
        if (entry.isSymbolicLink()) await this.addLink(path, area)
        else if (entry.isDirectory()) {
          await this.add(path, { kind: 'directory', size: 0 }, statSync(path))
          await this.addFolder(path, area)
        } else if (entry.isFile()) await this.addFile(path)
        else if (!entry.isSocket()) this.manifest.skipped.push(`${path} is no file, directory or link, and is left out`)
      } catch (error) {
        // the master removes files while it works
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
  }

  private isOwnFile(path: string): boolean {
    return path === this.scratch || path === resolve(this.request.file)
  }

  /** Keep a link inside its directory as a link; for a link that leads out, store the file behind it. */
  private async addLink(path: string, area: number): Promise<void> {
    const link = readlinkSync(path)
    const target = resolve(dirname(path), link)
    if (!link.startsWith('/') && target.startsWith(`${this.areas[area]!.path}/`)) {
      await this.add(path, { kind: 'link', size: 0, link }, statSync(path, { throwIfNoEntry: false }))
      return
    }
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isFile()) {
      this.manifest.skipped.push(`${path} is a link to ${target}; the file is kept in place of the link`)
      await this.addFile(path)
    } else this.manifest.skipped.push(`${path} is a link to ${target}, which is left out`)
  }

  private async addFile(path: string, { from = path, size }: { from?: string; size?: number } = {}): Promise<void> {
    const fd = openSync(from, 'r')
    try {
      const stat = from === path ? fstatSync(fd) : statSync(path)
      const wanted = size ?? fstatSync(fd).size
      const hash = createHash('sha256')
      const entry = { kind: 'file', size: wanted } as const
      if (wanted <= READ_AT_ONCE) {
        const body = readUpTo(fd, size)
        hash.update(body)
        await this.add(path, { ...entry, size: body.length, sha256: hash.digest('hex') }, stat, [body])
      } else {
        const kept = await this.add(
          path,
          entry,
          stat,
          hashed(createReadStream('', { fd, autoClose: false, end: wanted - 1, start: 0 }), hash),
        )
        kept.sha256 = hash.digest('hex')
      }
    } finally {
      closeSync(fd)
    }
  }

  private async add(
    path: string,
    facts: Pick<ArchivedFile, 'kind' | 'size' | 'sha256' | 'link'>,
    stat: Stats | undefined,
    body: Iterable<Buffer> | AsyncIterable<Buffer> = [],
  ): Promise<ArchivedFile> {
    const place = this.placeOf(path)
    const mode = (stat?.mode ?? 0o600) & 0o777
    const { kind, size, link } = facts
    const entry: TarEntry = {
      path: place,
      kind,
      size,
      mode,
      mtime: (stat?.mtimeMs ?? 0) / 1000,
      ...(link !== undefined && { link }),
    }
    const kept: ArchivedFile = { ...facts, path: place, mode, owner: this.owners.of(stat) }
    await this.archive.add(entry, body)
    this.done.add(path)
    this.manifest.files.push(kept)
    this.bytes += size
    this.request.progress?.(`${this.manifest.files.length} files, ${(this.bytes / 1e6).toFixed(1)} MB`)
    return kept
  }
}

/** Read a whole file, or so many bytes of it. */
function readUpTo(fd: number, most = Number.POSITIVE_INFINITY): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < most; ) {
    const part = Buffer.alloc(Math.min(1 << 20, most - at))
    const count = readSync(fd, part, 0, part.length, at)
    if (count === 0) break
    parts.push(part.subarray(0, count))
    at += count
  }
  return Buffer.concat(parts)
}

async function* hashed(
  stream: AsyncIterable<Buffer>,
  hash: { update(bytes: Buffer): unknown },
): AsyncGenerator<Buffer> {
  for await (const bytes of stream) {
    hash.update(bytes)
    yield bytes
  }
}
