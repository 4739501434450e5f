// The files of this machine. Small operations use Node's synchronous calls, which cost a tenth of the asynchronous ones
// and do not block noticeably; content of any size is streamed.
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path/posix'
import { isAnyError, makeOwnFolder, PASSABLE_FOLDER, PRIVATE_FILE, PRIVATE_FOLDER, recover } from '../../base/mod.ts'
import { fromNodeError, isHostError, systemError } from '../errors.ts'
import type { AccessMode, FileRange, FileStat, FileSystemStat, HostFiles, TempOptions, WriteOptions } from '../host.ts'
import { randomName } from '../random-name.ts'
import { fileStat } from './file-stat.ts'
import { followed, resolvedPath } from './links.ts'

function guard<T>(run: () => T, path?: string, other?: string): T {
  try {
    return run()
  } catch (error) {
    throw fromNodeError(error, path, other)
  }
}

/** Do not throw for missing files: an exception costs more than the call. */
const QUIETLY = { bigint: true, throwIfNoEntry: false } as const

function statOrNothing(path: string, stat: typeof fs.statSync | typeof fs.lstatSync): FileStat | undefined {
  try {
    const found = stat(path, QUIETLY)
    return found && fileStat(found)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw fromNodeError(error, path)
  }
}

const MODES: Record<AccessMode, number> = {
  exists: fs.constants.F_OK,
  read: fs.constants.R_OK,
  write: fs.constants.W_OK,
  execute: fs.constants.X_OK,
}

/** Files up to this size are read in one go. */
const SMALL = 1 << 20

export interface LocalFilesOptions {
  /** The cache directory of this program: new entries are closed to other users, unless a mode is given. */
  cache?: string
}

export class LocalFiles implements HostFiles {
  private folder: string | undefined
  private readonly cache: string | undefined

  constructor({ cache }: LocalFilesOptions = {}) {
    this.cache = cache === undefined || cache === '' ? undefined : resolve(cache)
  }

  private isPrivate(path: string): boolean {
    return this.cache !== undefined && resolve(path).startsWith(`${this.cache}/`)
  }

  /** The mode of a new file: as the umask has it, or private in the cache. */
  private fileMode(path: string): number {
    return this.isPrivate(path) ? PRIVATE_FILE : 0o666
  }

  /** Computed once, as in Python. */
  private get temporaryFolder(): string {
    this.folder ??= tmpdir()
    return this.folder
  }

  /** Called before a file is changed or followed; writes files that are only in memory. */
  protected ready(..._paths: string[]): void {}

  async read(path: string, range?: FileRange): Promise<Uint8Array> {
    if (range === undefined) return guard(() => fs.readFileSync(path), path)
    const file = guard(() => fs.openSync(path, 'r'), path)
    try {
      // allocate no more memory than the file needs; size 0 may be a file of /proc
      const { size } = guard(() => fs.fstatSync(file), path)
      const length = size > 0 ? Math.max(0, Math.min(range.length, size - range.offset)) : range.length
      const buffer = range.into && range.into.length >= length ? range.into : Buffer.allocUnsafe(length)
      let count = 0
      for (let got = 1; got > 0 && count < length; count += got) {
        got = guard(() => fs.readSync(file, buffer, count, length - count, range.offset + count), path)
      }
      return buffer.subarray(0, count)
    } finally {
      fs.closeSync(file)
    }
  }

  async *stream(path: string): AsyncIterable<Uint8Array> {
    try {
      // a stream allocates a whole chunk however small the file is; size 0 may be a file of /proc
      const stat = fs.statSync(path)
      if (stat.isFile() && stat.size > 0 && stat.size <= SMALL) yield fs.readFileSync(path)
      else yield* fs.createReadStream(path, { highWaterMark: SMALL })
    } catch (error) {
      throw fromNodeError(error, path)
    }
  }

  async write(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    this.ready(path)
    await this.replace(path, options, (file) => guard(() => fs.writeFileSync(file, data), path))
  }

  async writeStream(path: string, pieces: AsyncIterable<Uint8Array>, options: WriteOptions = {}): Promise<void> {
    this.ready(path)
    await this.replace(path, options, async (file) => {
      try {
        for await (const piece of pieces) fs.writeFileSync(file, piece)
      } catch (error) {
        throw fromNodeError(error, path)
      }
    })
  }

  /**
   * Write a temporary file beside the target and rename it; write in place if the target is not a plain file or has
   * several names.
   */
  private async replace(
    path: string,
    options: WriteOptions,
    fill: (descriptor: number) => void | Promise<void>,
  ): Promise<void> {
    const target = guard(() => followed(path), path)
    const old = await this.lstat(target)
    if (old && options.exclusive) throw systemError('EEXIST', path)
    if (old && (old.type !== 'file' || old.links > 1)) {
      await filled(
        guard(() => fs.openSync(target, 'w'), path),
        fill,
      )
      this.setOwnerAndMode(target, options)
      return
    }
    const temporary = join(dirname(target), `.${randomName()}.tmp`)
    const descriptor = guard(() => fs.openSync(temporary, 'wx', 0o600), path)
    try {
      await filled(descriptor, fill)
      const mode = options.mode ?? old?.mode ?? this.fileMode(target) & ~process.umask()
      this.setOwnerAndMode(temporary, { mode, ...ownerToKeep(options, old) })
      guard(() => fs.renameSync(temporary, target), path)
    } catch (error) {
      fs.rmSync(temporary, { force: true })
      throw error
    }
  }

  private setOwnerAndMode(path: string, { mode, uid, gid }: WriteOptions): void {
    if (uid !== undefined || gid !== undefined) guard(() => fs.chownSync(path, uid ?? -1, gid ?? -1), path)
    if (mode !== undefined) guard(() => fs.chmodSync(path, mode), path)
  }

  async append(path: string, data: string | Uint8Array): Promise<void> {
    this.ready(path)
    guard(() => fs.appendFileSync(path, data, { mode: this.fileMode(path) }), path)
  }

  async writeAt(path: string, offset: number, data: Uint8Array): Promise<void> {
    this.ready(path)
    const file = guard(() => fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, this.fileMode(path)), path)
    try {
      for (let done = 0; done < data.length; ) {
        const from = done
        done += guard(() => fs.writeSync(file, data, from, data.length - from, offset + from), path)
      }
    } finally {
      fs.closeSync(file)
    }
  }

  async truncate(path: string, length: number): Promise<void> {
    this.ready(path)
    guard(() => fs.truncateSync(path, length), path)
  }

  async copy(source: string, target: string): Promise<void> {
    this.ready(source, target)
    guard(() => fs.copyFileSync(source, target), source, target)
    if (this.isPrivate(target)) guard(() => fs.chmodSync(target, fs.statSync(target).mode & PRIVATE_FOLDER), target)
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return statOrNothing(path, fs.statSync)
  }

  async lstat(path: string): Promise<FileStat | undefined> {
    return statOrNothing(path, fs.lstatSync)
  }

  async fileSystem(path: string): Promise<FileSystemStat> {
    const { bsize, blocks, bfree, bavail, files, ffree } = guard(() => fs.statfsSync(path), path)
    return { blockSize: bsize, blocks, free: bfree, available: bavail, files, freeFiles: ffree }
  }

  async access(path: string, wish: AccessMode): Promise<boolean> {
    // any error means that it is not accessible
    return recover(isAnyError, false, () => {
      fs.accessSync(path, MODES[wish])
      return true
    })
  }

  /** In the order of the file system, as in Python; `readdir` would sort. */
  async list(path: string): Promise<string[]> {
    return guard(() => {
      const directory = fs.opendirSync(path)
      const names: string[] = []
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) names.push(entry.name)
      directory.closeSync()
      return names
    }, path)
  }

  async realPath(path: string): Promise<string> {
    this.ready(path)
    return guard(() => resolvedPath(path), path)
  }

  async makeDirectory(path: string, options: { mode?: number; parents?: boolean } = {}): Promise<void> {
    const isPrivate = this.isPrivate(path)
    const { mode = isPrivate ? PRIVATE_FOLDER : 0o777, parents = false } = options
    // other users may traverse the parents of the cache directory
    if (isPrivate && parents) guard(() => makeOwnFolder(this.cache!, PASSABLE_FOLDER), path)
    guard(() => fs.mkdirSync(path, { mode, recursive: parents }), path)
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.ready(path)
    guard(() => fs.chmodSync(path, mode), path)
  }

  async chown(path: string, uid: number, gid: number): Promise<void> {
    this.ready(path)
    guard(() => fs.chownSync(path, uid, gid), path)
  }

  async lchown(path: string, uid: number, gid: number): Promise<void> {
    this.ready(path)
    guard(() => fs.lchownSync(path, uid, gid), path)
  }

  async link(target: string, path: string): Promise<void> {
    this.ready(target)
    guard(() => fs.linkSync(target, path), target, path)
  }

  async symlink(target: string, path: string): Promise<void> {
    guard(() => fs.symlinkSync(target, path), target, path)
  }

  async readLink(path: string): Promise<string> {
    return guard(() => fs.readlinkSync(path), path)
  }

  async rename(source: string, target: string): Promise<void> {
    this.ready(source, target)
    guard(() => fs.renameSync(source, target), source, target)
  }

  async remove(path: string): Promise<void> {
    guard(() => fs.unlinkSync(path), path)
  }

  async removeDirectory(path: string, { recursive = false } = {}): Promise<void> {
    guard(() => (recursive ? fs.rmSync(path, { recursive }) : fs.rmdirSync(path)), path)
  }

  async setTimes(path: string, atime: number, mtime: number): Promise<void> {
    this.ready(path)
    guard(() => fs.utimesSync(path, atime, mtime), path)
  }

  async hash(path: string, algorithm: string): Promise<string> {
    const hash = createHash(algorithm)
    const stat = guard(() => fs.statSync(path), path)
    if (stat.isFile() && stat.size <= SMALL) return hash.update(await this.read(path)).digest('hex')
    for await (const piece of this.stream(path)) hash.update(piece)
    return hash.digest('hex')
  }

  async tempFile(options: TempOptions = {}): Promise<string> {
    return this.temporary(options, (path) => fs.closeSync(fs.openSync(path, 'wx', 0o600)))
  }

  async tempDirectory(options: TempOptions = {}): Promise<string> {
    return this.temporary(options, (path) => fs.mkdirSync(path, 0o700))
  }

  protected temporaryName({ directory = this.temporaryFolder, prefix = 'tmp', suffix = '' }: TempOptions): string {
    return join(directory, `${prefix}${randomName()}${suffix}`)
  }

  private temporary(options: TempOptions, make: (path: string) => void): string {
    for (;;) {
      const path = this.temporaryName(options)
      try {
        guard(() => make(path), path)
        return path
      } catch (error) {
        if (!isHostError(error, 'EEXIST')) throw error
      }
    }
  }
}

async function filled(descriptor: number, fill: (descriptor: number) => void | Promise<void>): Promise<void> {
  try {
    await fill(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The old owner, as far as it would otherwise change. */
function ownerToKeep({ uid, gid }: WriteOptions, old: FileStat | undefined): { uid?: number; gid?: number } {
  if (old === undefined) return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) }
  const owner = { uid: uid ?? old.uid, gid: gid ?? old.gid }
  return owner.uid === process.geteuid?.() && owner.gid === process.getegid?.() ? {} : owner
}
