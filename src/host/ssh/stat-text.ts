// Parses the output of the target's stat to FileStat.

import type { FileStat, FileSystemStat } from '../host.ts'
import { fileType } from '../local/file-stat.ts'
import type { StatFlavour } from './facts.ts'

/** The shell words that ask for one file. */
export function statCommand(flavour: StatFlavour, follows: boolean): string {
  const link = follows ? '-L ' : ''
  if (flavour === 'gnu') return `stat ${link}-c '%f %u %g %s %.9X %.9Y %.9Z %i %d %h %t %T'`
  if (flavour === 'busybox') return `stat ${link}-c '%f %u %g %s %i %d %h %t %T|%x|%y|%z|%X|%Y|%Z'`
  return `stat ${link}-f '%Xp %u %g %z %Fa %Fm %Fc %i %d %l %Xr 0'`
}

export function parseStat(flavour: StatFlavour, text: string): FileStat {
  if (flavour === 'busybox') {
    const [facts = '', ...times] = text.trim().split('|')
    const [mode, uid, gid, size, ...place] = facts.split(' ')
    const [atime, mtime, ctime] = [0, 1, 2].map((i) => withFraction(times[i + 3]!, times[i]!))
    return fileStat([mode!, uid!, gid!, size!, String(atime), String(mtime), String(ctime), ...place])
  }
  const fields = text.trim().split(' ')
  if (flavour === 'bsd') {
    const device = BigInt(`0x${fields[10]}`)
    fields[10] = ((device >> 8n) & 0xffn).toString(16)
    fields[11] = (device & 0xffffffn).toString(16)
  }
  return fileStat(fields)
}

/** Whole seconds with the fraction from the written time, where it has one. */
const withFraction = (seconds: string, written: string): number =>
  Number(`${seconds}${/\.\d+/.exec(written)?.[0] ?? ''}`)

function fileStat([mode, uid, gid, size, atime, mtime, ctime, inode, device, links, major, minor]: string[]): FileStat {
  const bits = Number.parseInt(mode!, 16)
  return {
    type: fileType(bits),
    mode: bits & 0o7777,
    uid: Number(uid),
    gid: Number(gid),
    size: Number(size),
    atime: Number(atime),
    mtime: Number(mtime),
    ctime: Number(ctime),
    inode: Number(inode),
    device: Number(device),
    links: Number(links),
    major: Number.parseInt(major!, 16),
    minor: Number.parseInt(minor!, 16),
  }
}

/** `stat -f` of GNU and busybox. */
export const FILE_SYSTEM = "stat -f -c '%s %b %f %a %c %d'"

export function parseFileSystem(text: string): FileSystemStat {
  const [blockSize, blocks, free, available, files, freeFiles] = text.trim().split(' ').map(Number)
  return {
    blockSize: blockSize!,
    blocks: blocks!,
    free: free!,
    available: available!,
    files: files!,
    freeFiles: freeFiles!,
  }
}

/** The last line of `df -kP`, which says nothing about files. */
export function parseDiskFree(text: string): FileSystemStat {
  const [blocks = 0, used = 0, available = 0] = /\s(\d+)\s+(\d+)\s+(\d+)\s+\d+%/.exec(text)!.slice(1).map(Number)
  return { blockSize: 1024, blocks, free: blocks - used, available, files: 0, freeFiles: 0 }
}
