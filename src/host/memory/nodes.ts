// The tree of a simulated machine: directories, files and links, walked as the system walks paths.
import { dirname, resolve } from 'node:path/posix'
import { systemError } from '../errors.ts'
import type { FileStat, FileType } from '../host.ts'

export interface FileNode {
  type: FileType
  mode: number
  uid: number
  gid: number
  atime: number
  mtime: number
  ctime: number
  inode: number
  links: number
  content: Uint8Array
  /** The target of a link. */
  target: string
  /** The entries of a directory. */
  entries: Map<string, FileNode>
}

export interface NodeFacts {
  mode: number
  uid: number
  gid: number
  now: number
}

let inodes = 1

export function makeNode(type: FileType, { mode, uid, gid, now }: NodeFacts): FileNode {
  return {
    type,
    mode,
    uid,
    gid,
    atime: now,
    mtime: now,
    ctime: now,
    inode: inodes++,
    links: type === 'directory' ? 2 : 1,
    content: new Uint8Array(),
    target: '',
    entries: new Map(),
  }
}

export function statOf(node: FileNode): FileStat {
  const { type, mode, uid, gid, atime, mtime, ctime, inode, links } = node
  const size = type === 'link' ? node.target.length : type === 'directory' ? 4096 : node.content.length
  return { type, mode, uid, gid, size, atime, mtime, ctime, inode, device: 1, links, major: 0, minor: 0 }
}

const MOST_LINKS = 40

interface Found {
  node: FileNode | undefined
  /** The path without links in its parents, or without any link if they were followed. */
  path: string
}

/** Return the node of a path; a missing parent is an error, a missing node is undefined. */
export function findNode(root: FileNode, path: string, follow: boolean, hops = 0): Found {
  if (hops > MOST_LINKS) throw systemError('ELOOP', path)
  const names = resolve('/', path).split('/').filter(Boolean)
  let node = root
  let at = ''
  for (const [index, name] of names.entries()) {
    if (node.type !== 'directory') throw systemError('ENOTDIR', path)
    const next = node.entries.get(name)
    const isLast = index === names.length - 1
    if (next === undefined) {
      if (isLast) return { node: undefined, path: `${at}/${name}` }
      throw systemError('ENOENT', path)
    }
    if (next.type === 'link' && (!isLast || follow)) {
      const rest = names.slice(index + 1)
      return findNode(root, [resolve(at || '/', next.target), ...rest].join('/'), follow, hops + 1)
    }
    node = next
    at = `${at}/${name}`
  }
  return { node, path: at || '/' }
}

/** Return the directory of a path, and the path's last name. */
export function place(root: FileNode, path: string): { directory: FileNode; name: string } {
  const absolute = resolve('/', path)
  const { node } = findNode(root, dirname(absolute), true)
  if (node === undefined) throw systemError('ENOENT', path)
  if (node.type !== 'directory') throw systemError('ENOTDIR', path)
  return { directory: node, name: absolute.slice(absolute.lastIndexOf('/') + 1) }
}
