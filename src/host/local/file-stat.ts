// Converts Node's file metadata to FileStat.
import type { BigIntStats } from 'node:fs'
import type { FileStat, FileType } from '../host.ts'

/** File types by the upper bits of the mode. */
const TYPES: Record<number, FileType> = {
  1: 'fifo',
  2: 'char',
  4: 'directory',
  6: 'block',
  8: 'file',
  10: 'link',
  12: 'socket',
}

/** Return the type of a file by the bits of its mode. */
export const fileType = (mode: number): FileType => TYPES[mode >> 12] ?? 'file'

const seconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9

export function fileStat(stats: BigIntStats): FileStat {
  const mode = Number(stats.mode)
  const device = stats.rdev
  return {
    type: fileType(mode),
    mode: mode & 0o7777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    size: Number(stats.size),
    atime: seconds(stats.atimeNs),
    mtime: seconds(stats.mtimeNs),
    ctime: seconds(stats.ctimeNs),
    inode: Number(stats.ino),
    device: Number(stats.dev),
    links: Number(stats.nlink),
    major: Number(((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n)),
    minor: Number((device & 0xffn) | ((device >> 12n) & 0xffffff00n)),
  }
}
