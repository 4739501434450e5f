// The files of a journal, read forwards or backwards while a master appends to the last one. A group that is not
// complete counts as not written yet.
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { folderNames } from '../../base/mod.ts'
import {
  eventsOf,
  type GroupHead,
  HEAD_BYTES,
  isWhole,
  type JournalEvent,
  readGroupHead,
  segmentFirst,
} from './format.ts'

export interface Segment {
  path: string
  first: number
}

/** Oldest first. */
export function segmentsIn(folder: string): Segment[] {
  return folderNames(folder)
    .flatMap((name) => {
      const first = segmentFirst(name)
      return first === undefined ? [] : [{ path: join(folder, name), first }]
    })
    .sort((one, other) => one.first - other.first)
}

/** A group by its place in a file. */
export interface JournalGroup {
  at: number
  head: GroupHead
}

class SegmentReader {
  private readonly fd: number
  private readonly head = Buffer.alloc(HEAD_BYTES)

  constructor(path: string) {
    this.fd = openSync(path, 'r')
  }

  close(): void {
    closeSync(this.fd)
  }

  /** The groups one after the other, without their events. */
  *groups(): Generator<JournalGroup> {
    for (let at = 0; ; ) {
      if (readSync(this.fd, this.head, 0, HEAD_BYTES, at) < HEAD_BYTES) return
      const head = readGroupHead(this.head)
      if (!head) return
      yield { at, head }
      at += HEAD_BYTES + head.size
    }
  }

  /** Return a complete group; undefined if the disk has only a part of it. */
  read({ at, head }: JournalGroup): Buffer | undefined {
    const bytes = Buffer.allocUnsafe(HEAD_BYTES + head.size)
    return readSync(this.fd, bytes, 0, bytes.length, at) === bytes.length && isWhole(bytes, head) ? bytes : undefined
  }
}

/** Return the end of the last complete group of a segment, and the header of that group. */
export function endOf(path: string): { bytes: number; last?: GroupHead } {
  const reader = new SegmentReader(path)
  try {
    let end: { bytes: number; last?: GroupHead } = { bytes: 0 }
    for (const group of reader.groups()) {
      const bytes = reader.read(group)
      if (!bytes) break
      end = { bytes: group.at + bytes.length, last: group.head }
    }
    return end
  } finally {
    reader.close()
  }
}

/** Start position: the number of an event, or a time in milliseconds since 1970. */
export type Beginning = { number: number } | { time: number }

export interface JournalReading {
  /** Last number to read. */
  upTo?: number
  /** Only groups that contain these bytes, such as a job id or a part of a tag. */
  containing?: string
}

const isBefore = ({ first, count, to }: GroupHead, from: Beginning): boolean =>
  'number' in from ? first + count <= from.number : to < from.time

const isReached = (event: JournalEvent, from: Beginning): boolean => !('number' in from) || event.number >= from.number

/** Events from a place on. */
export function* readForward(folder: string, from: Beginning, reading: JournalReading = {}): Generator<JournalEvent> {
  const { upTo = Number.POSITIVE_INFINITY } = reading
  for (const segment of segmentsFrom(folder, from)) {
    if (segment.first > upTo) return
    for (const group of open(segment.path, ({ head }) => !isBefore(head, from) && head.first <= upTo, reading)) {
      for (const event of group) {
        if (event.number > upTo) return
        if (isReached(event, from)) yield event
      }
    }
  }
}

/** Events from the last one back. */
export function* readBackward(folder: string, reading: JournalReading = {}): Generator<JournalEvent> {
  const { upTo = Number.POSITIVE_INFINITY } = reading
  for (const { path, first } of segmentsIn(folder).reverse()) {
    if (first > upTo) continue
    const groups = open(path, ({ head }) => head.first <= upTo, reading, true)
    for (const group of groups) yield* group.reverse().filter(({ number }) => number <= upTo)
  }
}

/** Return the segments that may contain events from this position on: a segment ends where the next begins. */
function segmentsFrom(folder: string, from: Beginning): Segment[] {
  const all = segmentsIn(folder)
  const isPast = (next: Segment | undefined): boolean => {
    if (!next) return false
    if ('number' in from) return next.first <= from.number
    const begins = beginningOf(next.path)
    return begins !== undefined && begins <= from.time
  }
  return all.filter((_, index) => !isPast(all[index + 1]))
}

/** When the first event of a segment was fired. */
export function beginningOf(path: string): number | undefined {
  const reader = new SegmentReader(path)
  try {
    for (const { head } of reader.groups()) return head.from
    return undefined
  } finally {
    reader.close()
  }
}

/** Yield the events of a segment by group; nothing if the segment was removed meanwhile. */
function* open(
  path: string,
  isWanted: (group: JournalGroup) => boolean,
  { containing }: JournalReading,
  backward = false,
): Generator<JournalEvent[]> {
  let reader: SegmentReader
  try {
    reader = new SegmentReader(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  try {
    const all = reader.groups()
    for (const group of backward ? [...all].reverse() : all) {
      if (group.head.count === 0 || !isWanted(group)) continue
      const bytes = reader.read(group)
      if (!bytes) continue
      const frames = bytes.subarray(HEAD_BYTES)
      if (containing === undefined || frames.includes(containing)) yield eventsOf(frames, group.head)
    }
  } finally {
    reader.close()
  }
}
