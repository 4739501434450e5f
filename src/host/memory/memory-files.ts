// The files of a simulated machine. All operations act as root: modes and owners are stored, but not enforced.
import { createHash } from 'node:crypto'
import { resolve } from 'node:path/posix'
import { hasCode, recover } from '../../base/mod.ts'
import { systemError } from '../errors.ts'
import type { AccessMode, FileRange, FileStat, FileSystemStat, HostFiles, TempOptions, WriteOptions } from '../host.ts'
import { randomName } from '../random-name.ts'
import { type FileNode, findNode, makeNode, place, statOf } from './nodes.ts'

const bytesOf = (data: string | Uint8Array): Uint8Array =>
  typeof data === 'string' ? new TextEncoder().encode(data) : Uint8Array.from(data)

export abstract class MemoryFiles implements HostFiles {
  protected readonly root: FileNode = makeNode('directory', { mode: 0o755, uid: 0, gid: 0, now: 0 })
  protected readonly mask = 0o022

  abstract now(): number

  private node(path: string, follow = true): FileNode {
    const { node } = findNode(this.root, path, follow)
    if (node === undefined) throw systemError('ENOENT', path)
    return node
  }

  private file(path: string): FileNode {
    const node = this.node(path)
    if (node.type === 'directory') throw systemError('EISDIR', path)
    return node
  }

  private facts(mode: number) {
    return { mode, uid: 0, gid: 0, now: this.now() }
  }

  /** Add a node at a free path. */
  private place(path: string, node: FileNode): FileNode {
    const { directory, name } = place(this.root, path)
    if (directory.entries.has(name) || name === '') throw systemError('EEXIST', path)
    directory.entries.set(name, node)
    directory.mtime = this.now()
    return node
  }

  private opened(path: string): FileNode {
    const found = findNode(this.root, path, true)
    if (found.node === undefined) return this.place(found.path, makeNode('file', this.facts(0o666 & ~this.mask)))
    if (found.node.type === 'directory') throw systemError('EISDIR', path)
    return found.node
  }

  private fill(node: FileNode, content: Uint8Array): void {
    node.content = content
    node.mtime = node.ctime = this.now()
  }

  async read(path: string, range?: FileRange): Promise<Uint8Array> {
    const { content } = this.file(path)
    return range ? content.slice(range.offset, range.offset + range.length) : content.slice()
  }

  async *stream(path: string): AsyncIterable<Uint8Array> {
    yield this.read(path)
  }

  async write(path: string, data: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
    if (options.exclusive && findNode(this.root, path, true).node) throw systemError('EEXIST', path)
    const node = this.opened(path)
    this.fill(node, bytesOf(data))
    node.mode = options.mode ?? node.mode
    node.uid = options.uid ?? node.uid
    node.gid = options.gid ?? node.gid
  }

  async writeStream(path: string, pieces: AsyncIterable<Uint8Array>, options: WriteOptions = {}): Promise<void> {
    const all: Uint8Array[] = []
    for await (const piece of pieces) all.push(piece)
    await this.write(path, Buffer.concat(all), options)
  }

  async append(path: string, data: string | Uint8Array): Promise<void> {
    const node = this.opened(path)
    this.fill(node, Buffer.concat([node.content, bytesOf(data)]))
  }

  async writeAt(path: string, offset: number, data: Uint8Array): Promise<void> {
    const node = this.opened(path)
    const content = new Uint8Array(Math.max(node.content.length, offset + data.length))
    content.set(node.content)
    content.set(data, offset)
    this.fill(node, content)
  }

  async truncate(path: string, length: number): Promise<void> {
    const node = this.file(path)
    const content = new Uint8Array(length)
    content.set(node.content.subarray(0, length))
    this.fill(node, content)
  }

  async copy(source: string, target: string): Promise<void> {
    const { content, mode } = this.file(source)
    const isNew = findNode(this.root, target, true).node === undefined
    const node = this.opened(target)
    this.fill(node, content.slice())
    if (isNew) node.mode = mode & ~this.mask
  }

  async stat(path: string): Promise<FileStat | undefined> {
    return this.statOrNothing(path, true)
  }

  async lstat(path: string): Promise<FileStat | undefined> {
    return this.statOrNothing(path, false)
  }

  private statOrNothing(path: string, follow: boolean): FileStat | undefined {
    return recover(hasCode('ENOENT', 'ENOTDIR'), undefined, () => {
      const { node } = findNode(this.root, path, follow)
      return node && statOf(node)
    })
  }

  async fileSystem(path: string): Promise<FileSystemStat> {
    this.node(path)
    return { blockSize: 4096, blocks: 1 << 20, free: 1 << 19, available: 1 << 19, files: 1 << 16, freeFiles: 1 << 15 }
  }

  async access(path: string, wish: AccessMode): Promise<boolean> {
    const stat = await this.stat(path)
    if (stat === undefined) return false
    return wish !== 'execute' || stat.type === 'directory' || (stat.mode & 0o111) !== 0
  }

  async list(path: string): Promise<string[]> {
    const node = this.node(path)
    if (node.type !== 'directory') throw systemError('ENOTDIR', path)
    return [...node.entries.keys()]
  }

  async realPath(path: string): Promise<string> {
    const found = findNode(this.root, path, true)
    if (found.node === undefined) throw systemError('ENOENT', path)
    return found.path
  }

  async makeDirectory(path: string, options: { mode?: number; parents?: boolean } = {}): Promise<void> {
    const { mode = 0o777, parents = false } = options
    const fresh = (): FileNode => makeNode('directory', this.facts(mode & ~this.mask))
    if (!parents) {
      this.place(path, fresh())
      return
    }
    let at = ''
    for (const name of resolve('/', path).split('/').filter(Boolean)) {
      at = `${at}/${name}`
      const { node } = findNode(this.root, at, true)
      if (node === undefined) this.place(at, fresh())
      else if (node.type !== 'directory') throw systemError(at === resolve('/', path) ? 'EEXIST' : 'ENOTDIR', path)
    }
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.node(path).mode = mode
  }

  async chown(path: string, uid: number, gid: number): Promise<void> {
    this.own(this.node(path), uid, gid)
  }

  async lchown(path: string, uid: number, gid: number): Promise<void> {
    this.own(this.node(path, false), uid, gid)
  }

  private own(node: FileNode, uid: number, gid: number): void {
    if (uid >= 0) node.uid = uid
    if (gid >= 0) node.gid = gid
  }

  async link(target: string, path: string): Promise<void> {
    const node = this.node(target, false)
    this.place(path, node).links++
  }

  async symlink(target: string, path: string): Promise<void> {
    this.place(path, makeNode('link', this.facts(0o777))).target = target
  }

  async readLink(path: string): Promise<string> {
    const node = this.node(path, false)
    if (node.type !== 'link') throw systemError('EINVAL', path)
    return node.target
  }

  async rename(source: string, target: string): Promise<void> {
    const { node } = findNode(this.root, source, false)
    if (node === undefined) throw systemError('ENOENT', source, target)
    const from = place(this.root, source)
    const to = place(this.root, target)
    const old = to.directory.entries.get(to.name)
    if (old?.type === 'directory' && node.type !== 'directory') throw systemError('EISDIR', source, target)
    if (old?.type === 'directory' && old.entries.size > 0) throw systemError('ENOTEMPTY', source, target)
    if (old && old.type !== 'directory' && node.type === 'directory') throw systemError('ENOTDIR', source, target)
    from.directory.entries.delete(from.name)
    to.directory.entries.set(to.name, node)
  }

  async remove(path: string): Promise<void> {
    const node = this.node(path, false)
    if (node.type === 'directory') throw systemError('EISDIR', path)
    node.links--
    const { directory, name } = place(this.root, path)
    directory.entries.delete(name)
  }

  async removeDirectory(path: string, { recursive = false } = {}): Promise<void> {
    const node = this.node(path, false)
    if (node.type !== 'directory' && !recursive) throw systemError('ENOTDIR', path)
    if (node.entries.size > 0 && !recursive) throw systemError('ENOTEMPTY', path)
    const { directory, name } = place(this.root, path)
    directory.entries.delete(name)
  }

  async setTimes(path: string, atime: number, mtime: number): Promise<void> {
    Object.assign(this.node(path), { atime, mtime })
  }

  async hash(path: string, algorithm: string): Promise<string> {
    return createHash(algorithm).update(this.file(path).content).digest('hex')
  }

  async tempFile(options: TempOptions = {}): Promise<string> {
    const path = await this.tempName(options)
    this.place(path, makeNode('file', this.facts(0o600)))
    if (options.content !== undefined) await this.write(path, options.content)
    return path
  }

  async settle(): Promise<void> {}

  async tempDirectory(options: TempOptions = {}): Promise<string> {
    const path = await this.tempName(options)
    this.place(path, makeNode('directory', this.facts(0o700)))
    return path
  }

  private async tempName({ directory = '/tmp', prefix = 'tmp', suffix = '' }: TempOptions): Promise<string> {
    if (directory === '/tmp') await this.makeDirectory('/tmp', { parents: true })
    return `${directory}/${prefix}${randomName()}${suffix}`
  }
}
