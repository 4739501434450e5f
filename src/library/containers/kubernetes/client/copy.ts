// Copies between the minion and containers, as tar archives. An archive from a container is not trusted: it is unpacked
// into a private folder inside the destination, and moved into place only if it is complete and nothing in it leads out
// of the copy.

import {
  failure,
  type ReadTarEntry,
  TAR_BLOCK,
  type TarEntry,
  tarEntries,
  tarHead,
  tarPadding,
} from '../../../../data/mod.ts'
import { baseName, dirName, type FunctionContext, joinPaths } from '../../../../sdk/mod.ts'

type Files = FunctionContext['host']

/** Files, directories and links of one copy. */
const MOST_ENTRIES = 1_000_000
const MOST_PATH = 4096
const MOST_NAME = 255
const MOST_DEPTH = 200

export interface Packed {
  /** Bytes of the archive. */
  size: number
  bytes: AsyncIterable<Uint8Array>
}

interface Source extends TarEntry {
  place: string
}

/** Return a file or directory as an archive. Links stay links. */
export async function packed(host: Files, path: string): Promise<Packed> {
  const sources: Source[] = []
  await gather(host, path, baseName(path), sources)
  const size = sources.reduce((sum, one) => sum + tarHead(one).length + one.size + tarPadding(one.size), 2 * TAR_BLOCK)
  return { size, bytes: archive(host, sources) }
}

async function gather(host: Files, place: string, path: string, sources: Source[]): Promise<void> {
  const stat = await host.lstat(place)
  if (stat === undefined) throw failure(`Local source path does not exist: ${place}`)
  if (sources.length === MOST_ENTRIES) throw failure(`${place} is beyond the ${MOST_ENTRIES} files of one copy`)
  const { type, mode, mtime } = stat
  // a socket cannot be copied, and Salt leaves it out too
  if (type === 'socket') return
  if (type !== 'file' && type !== 'directory' && type !== 'link')
    throw failure(`${place} is no file, directory or link: it cannot be copied`)
  const size = type === 'file' ? stat.size : 0
  const link = type === 'link' ? { link: await host.readLink(place) } : {}
  sources.push({ place, path: type === 'directory' ? `${path}/` : path, kind: type, size, mode, mtime, ...link })
  if (type !== 'directory') return
  for (const name of (await host.list(place)).sort())
    await gather(host, joinPaths(place, name), `${path}/${name}`, sources)
}

async function* archive(host: Files, sources: readonly Source[]): AsyncGenerator<Uint8Array> {
  for (const source of sources) {
    yield tarHead(source)
    let left = source.size
    if (source.kind === 'file') {
      for await (const piece of host.stream(source.place)) {
        left -= piece.length
        if (left < 0) break
        yield piece
      }
    }
    if (left !== 0) throw failure(`${source.place} changed while it was copied; try again`)
    yield Buffer.alloc(tarPadding(source.size))
  }
  yield Buffer.alloc(2 * TAR_BLOCK)
}

/** The content of an archive while it is unpacked into a private folder. */
interface Unpacking {
  host: Files
  folder: string
  name: string
  /** Links are created after all files, so that no file is written through one. */
  links: { path: string; link: string }[]
  directories: TarFolder[]
  left: number
}

interface TarFolder {
  path: string
  mode: number
  mtime: number
}

interface UnpackOptions {
  /** The directory for the copy. */
  target: string
  /** The name of the file or directory. */
  name: string
  /** Bytes of all files together. */
  most: number
  /** Fails if the archive is incomplete. */
  confirm(): Promise<void>
}

/** Unpack an archive that has one file or directory of a name, and put it into an existing directory. */
export async function unpacked(
  host: Files,
  bytes: AsyncIterable<Uint8Array>,
  { target, name, most, confirm }: UnpackOptions,
): Promise<void> {
  const folder = await host.tempDirectory({ directory: target, prefix: '.copy-' })
  const work: Unpacking = { host, folder, name, links: [], directories: [], left: most }
  try {
    let count = 0
    for await (const entry of tarEntries(bytes)) {
      if (++count > MOST_ENTRIES) throw failure(`The archive has more than ${MOST_ENTRIES} files`)
      await unpackEntry(work, entry)
    }
    await confirm()
    if (count === 0) throw failure('The archive is empty')
    for (const { path, link } of work.links) await host.symlink(link, joinPaths(folder, path))
    for (const { path, mode, mtime } of work.directories.reverse()) {
      const own = joinPaths(folder, path)
      await host.chmod(own, limited(mode) | 0o100)
      await host.setTimes(own, mtime, mtime)
    }
    const [from, to] = [joinPaths(folder, name), joinPaths(target, name)]
    await place(host, from, to, false)
    await place(host, from, to, true)
  } finally {
    await host.removeDirectory(folder, { recursive: true })
  }
}

async function unpackEntry(work: Unpacking, entry: ReadTarEntry): Promise<void> {
  const { host, folder } = work
  const path = insidePath(entry.path, work.name)
  const to = joinPaths(folder, path)
  work.left -= entry.size
  if (work.left < 0) throw failure('The copy is larger than max_size allows')
  if (entry.kind === 'directory') {
    await host.makeDirectory(to, { parents: true })
    work.directories.push({ path, mode: entry.mode, mtime: entry.mtime })
    return
  }
  await host.makeDirectory(dirName(to), { parents: true })
  if (entry.kind === 'file') {
    await host.writeStream(to, entry.body, { mode: limited(entry.mode) })
    await host.setTimes(to, entry.mtime, entry.mtime)
  } else if (entry.kind === 'link') {
    work.links.push({ path, link: insideLink(path, entry.link ?? '') })
  } else if (entry.type === '1') {
    const other = insidePath(entry.link ?? '', work.name)
    if ((await host.lstat(joinPaths(folder, other)))?.type !== 'file')
      throw failure(`The archive has a hard link at ${shown(path)} to ${shown(other)}, which is no file before it`)
    await host.link(joinPaths(folder, other), to)
  } else throw failure(`The archive has ${shown(path)}, which is no file, directory or link`)
}

/** Others than the owner never get the right to write, nor any the rights of another user. */
const limited = (mode: number): number => (mode & 0o755) | 0o600

const shown = (path: string): string => JSON.stringify(path.slice(0, 300))

/** Return a path of an archive that is, or is below, the file or directory of a name. */
function insidePath(path: string, name: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  const isPlain =
    !path.startsWith('/') && !path.includes('\0') && path.length <= MOST_PATH && parts.length <= MOST_DEPTH
  if (!isPlain || parts[0] !== name || parts.some((part) => part === '..' || Buffer.byteLength(part) > MOST_NAME))
    throw failure(`The archive names ${shown(path)}, which is outside of ${name}`)
  return parts.join('/')
}

/**
 * Return the target of a link that stays within the copy: `..` only at its start, and fewer than the directories above
 * it.
 */
function insideLink(path: string, link: string): string {
  const parts = link.split('/').filter((part) => part !== '' && part !== '.')
  const down = parts.findIndex((part) => part !== '..')
  const ups = down === -1 ? parts.length : down
  const directories = path.split('/').length - 1
  const isPlain = link !== '' && link.length <= MOST_PATH && !link.startsWith('/') && !link.includes('\0')
  const isInside = isPlain && !parts.slice(ups).includes('..') && (ups === 0 || ups < directories)
  if (!isInside)
    throw failure(`The archive has a link at ${shown(path)} to ${shown(link)}, which leads out of the copy`)
  return link
}

/** Move a file or directory into place, or first check for conflicts. A directory is merged into an existing one. */
async function place(host: Files, from: string, to: string, really: boolean): Promise<void> {
  const [own, there] = [await host.lstat(from), await host.lstat(to)]
  const [isFolder, isOnFolder] = [own?.type === 'directory', there?.type === 'directory']
  if (there !== undefined && isFolder !== isOnFolder)
    throw failure(`${to} is in the way: it is ${isOnFolder ? 'a' : 'no'} directory`)
  if (isFolder && isOnFolder) {
    for (const name of await host.list(from)) await place(host, joinPaths(from, name), joinPaths(to, name), really)
  } else if (really) await host.rename(from, to)
}
