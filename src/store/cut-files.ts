// Detects databases whose files are shorter than the written data: cut by a failing disk, a copy of a running system,
// or a backup. The database itself continues with the rest silently, so a daemon checks this when it opens its
// database.
import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { endianness } from 'node:os'

const INDEX_HEAD = 48
const INDEX_BYTES = 136
const LOG_HEAD = 32
const FRAME_HEAD = 24

export interface CutLog {
  /** Pages that were written and are in neither the log nor the database. */
  lost: number
  written: number
}

/**
 * Return the missing part of a database's write-ahead log; undefined if it is complete. Its index, in the file beside
 * it, counts the committed pages. Call it only while this process does not have the database open: closing one of these
 * files would release the process's locks on it.
 */
export function cutLog(file: string): CutLog | undefined {
  const index = firstBytes(`${file}-shm`, INDEX_BYTES)
  // the two copies of the header differ during a write
  if (index?.[12] !== 1 || index.compare(index, INDEX_HEAD, 2 * INDEX_HEAD, 0, INDEX_HEAD) !== 0) return undefined
  const read = (at: number): number => (endianness() === 'LE' ? index.readUInt32LE(at) : index.readUInt32BE(at))
  const size = endianness() === 'LE' ? index.readUInt16LE(14) : index.readUInt16BE(14)
  const frame = FRAME_HEAD + (size === 1 ? 65_536 : size)
  const [written, copied] = [read(16), read(96)]
  const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const head = bytes < LOG_HEAD ? undefined : firstBytes(`${file}-wal`, LOG_HEAD)
  // a restarted log has other salts until its first commit
  if (head && head.compare(index, 32, 40, 16, 24) !== 0) return undefined
  const there = Math.max(0, Math.floor((bytes - LOG_HEAD) / frame))
  const lost = written - Math.max(there, copied)
  return lost > 0 ? { lost, written } : undefined
}

function firstBytes(path: string, count: number): Buffer | undefined {
  const bytes = Buffer.alloc(count)
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return readSync(descriptor, bytes, 0, count, 0) === count ? bytes : undefined
  } finally {
    closeSync(descriptor)
  }
}

/** Move a database and its files away, and return the new name. */
export function setAside(file: string, now: Date = new Date()): string {
  const aside = `${file}.damaged-${now.toISOString().slice(0, 19).replace(/\D/g, '')}`
  for (const suffix of ['', '-wal', '-shm']) {
    if (statSync(file + suffix, { throwIfNoEntry: false })) renameSync(file + suffix, aside + suffix)
  }
  return aside
}
