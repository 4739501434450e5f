// The journal of a master's events: each event under its number, in files that are removed when they are too old or too
// large. Events are gathered for some milliseconds and written in the background, so that firing an event only adds it
// to a list. While the disk is full, events wait in memory, in order.
import { mkdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, silentLog, storageError, toError } from '../../base/mod.ts'
import type { BusEvent } from '../event-bus.ts'
import { markedFrame, packGroup, referenceFrame, segmentName } from './format.ts'
import { beginningOf, endOf, type Segment, segmentsIn } from './segments.ts'

export interface JournalSettings {
  folder: string
  /** Age of the last event at which a segment is removed, in seconds. */
  maxAgeSeconds?: number
  /** The oldest segments go until the others have no more bytes. */
  maxBytes?: number
  /** Returns that the job store keeps and that are larger are not kept twice. */
  inlineBytes?: number
  log?: Log
  /** Convert an error of the disk; the disk watch is notified. */
  failed?(error: unknown, path: string): unknown
}

const DEFAULTS = { maxAgeSeconds: 7 * 86_400, maxBytes: 512 << 20, inlineBytes: 4096 }

/** How long events are gathered, in milliseconds, and how many bytes at most. */
const GATHER_MS = 20
const GATHER_BYTES = 1 << 20
/** Bytes that may wait for the disk; beyond that events are not written. */
const MOST_WAITING = 64 << 20
const SYNC_MS = 1000
/** Milliseconds between attempts to write while nothing new comes. */
const RETRY_MS = 1000
/** Milliseconds without a failure after which the log says that events are written again, and how many the journal lacks. */
const SETTLED_MS = 5000
const LARGEST_SEGMENT = 32 << 20
/** How many numbers are skipped after a crash, so that no number is used twice. */
const SKIPPED = 100_000

interface Group {
  bytes: Buffer
  first: number
  count: number
}

export class EventJournal {
  readonly folder: string
  private readonly settings: Required<JournalSettings>
  private readonly segmentBytes: number
  private file: FileHandle | undefined
  private size = 0
  /** The number of the last event before this journal was opened. */
  readonly last: number
  private frames: Buffer[] = []
  private bytes = 0
  private first = 0
  private began = 0
  private timer: NodeJS.Timeout | undefined
  private waiting = 0
  private lost = 0
  private failedAt = 0
  private synced = 0
  /** When the events of the open segment begin. */
  private segmentFrom = 0
  /** The number of the next event. */
  private next: number
  private writing: Promise<void> = Promise.resolve()
  /** Groups that are not written yet, in order. */
  private pending: Group[] = []
  private retrying: NodeJS.Timeout | undefined
  /** Events of groups that are not written yet. */
  private queued = 0
  /** Events that could not be written since the journal was opened. */
  totalLost = 0

  constructor(settings: JournalSettings) {
    this.settings = { ...DEFAULTS, log: silentLog, failed: storageError, ...settings }
    this.folder = settings.folder
    this.segmentBytes = Math.max(4096, Math.min(LARGEST_SEGMENT, Math.floor(this.settings.maxBytes / 8)))
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    this.last = this.recover()
    this.next = this.last + 1
    this.prune()
  }

  /** Truncate the part that a crash left half-written; return the last used number. */
  private recover(): number {
    for (const { path, first } of segmentsIn(this.folder).reverse()) {
      const { bytes, last } = endOf(path)
      const torn = statSync(path).size - bytes
      if (torn > 0) {
        const whole = last ? `the last whole one is number ${last.first + last.count - 1}` : 'none of them is whole'
        this.settings.log('warning', `Cut ${torn} bytes of half written events from ${path}: ${whole}`)
        truncateSync(path, bytes)
      }
      if (last === undefined) {
        rmSync(path)
        if (first > 1) return first - 1 + SKIPPED
        continue
      }
      const end = last.first + last.count - 1
      return last.count === 0 ? end : end + SKIPPED
    }
    return 0
  }

  take(event: BusEvent): void {
    const frame = this.frameOf(event)
    // a group has numbers without gaps
    if (this.frames.length > 0 && event.number !== this.first + this.frames.length) this.seal()
    if (this.frames.length === 0) {
      this.first = event.number
      this.began = Date.now()
      this.timer = setTimeout(() => this.seal(), GATHER_MS)
      this.timer.unref()
    }
    this.frames.push(frame)
    this.bytes += frame.length
    if (this.bytes >= GATHER_BYTES) this.seal()
  }

  private frameOf({ origin, tag, fields, frame, isKept, mark }: BusEvent): Buffer {
    if (isKept && frame.length > this.settings.inlineBytes) return referenceFrame(origin, tag, fields, mark)
    return mark === undefined ? frame : markedFrame(origin, frame, mark)
  }

  /** Events that are not in the file yet. */
  get lag(): number {
    return this.queued + this.frames.length
  }

  /** Bytes of all segments. */
  get totalBytes(): number {
    return segmentsIn(this.folder).reduce((sum, segment) => sum + statOf(segment).bytes, 0)
  }

  /** Write everything that was taken before; return whether all of it is in the file, which on a full disk it is not yet. */
  async flush(): Promise<boolean> {
    this.seal()
    const last = this.pending.at(-1)
    this.drain()
    await this.writing
    return last === undefined || !this.pending.includes(last)
  }

  async close(): Promise<void> {
    this.seal()
    const now = Date.now()
    this.enqueue(packGroup([], { first: this.next, from: now, to: now }), this.next, 0)
    await this.writing
    clearTimeout(this.retrying)
    if (this.queued > 0) this.lose(this.queued, 'it was closed before there was space')
    if (this.lost > 0) this.settings.log('warning', `The event journal lacks ${this.lost} events`)
    await this.file?.close()
    this.file = undefined
  }

  private seal(): void {
    clearTimeout(this.timer)
    const { frames, first } = this
    if (frames.length === 0) return
    this.frames = []
    this.bytes = 0
    this.next = first + frames.length
    this.enqueue(packGroup(frames, { first, from: this.began, to: Date.now() }), first, frames.length)
  }

  private enqueue(bytes: Buffer, first: number, count: number): void {
    if (this.waiting + bytes.length > MOST_WAITING) {
      this.lose(count, 'too many events wait for the disk')
      return
    }
    this.waiting += bytes.length
    this.queued += count
    this.pending.push({ bytes, first, count })
    this.drain()
  }

  private drain(): void {
    this.writing = this.writing.then(() => this.writePending())
  }

  /** Write the waiting groups in order. Stop at the first group that fails; it is retried later. */
  private async writePending(): Promise<void> {
    clearTimeout(this.retrying)
    for (let group = this.pending[0]; group; group = this.pending[0]) {
      try {
        await this.write(group.bytes, group.first)
      } catch (error) {
        this.fail(toError(this.settings.failed(error, this.folder)).message)
        this.retrying = setTimeout(() => this.drain(), RETRY_MS).unref()
        return
      }
      this.pending.shift()
      this.waiting -= group.bytes.length
      this.queued -= group.count
    }
  }

  private async write(group: Buffer, first: number): Promise<void> {
    if (this.file && this.isFull(group.length)) await this.rotate()
    this.file ??= await this.openSegment(first)
    // write at an explicit position, over the rest of a failed write
    for (let done = 0; done < group.length; ) {
      done += (await this.file.write(group, done, group.length - done, this.size + done)).bytesWritten
    }
    const now = Date.now()
    if (now - this.synced >= SYNC_MS) {
      await this.file.datasync()
      this.synced = now
    }
    this.size += group.length
    this.tellSettled(now)
  }

  /** Segments are limited in bytes and in time, because only whole segments can be removed. */
  private isFull(more: number): boolean {
    const age = (Date.now() - this.segmentFrom) / 1000
    return this.size > 0 && (this.size + more > this.segmentBytes || age > this.settings.maxAgeSeconds / 8)
  }

  /** Continue the last segment if it has room, else open a new one. */
  private async openSegment(first: number): Promise<FileHandle> {
    const last = segmentsIn(this.folder).at(-1)
    this.size = last ? statSync(last.path).size : 0
    this.segmentFrom = (last && beginningOf(last.path)) ?? Date.now()
    if (last && !this.isFull(0)) return open(last.path, 'r+', 0o600)
    this.size = 0
    this.segmentFrom = Date.now()
    return open(join(this.folder, segmentName(first)), 'w', 0o600)
  }

  private async rotate(): Promise<void> {
    const full = this.file
    // remove the rest of a failed write
    await full?.truncate(this.size)
    await full?.datasync()
    this.file = undefined
    await full?.close()
    this.prune()
  }

  private fail(reason: string): void {
    if (this.failedAt === 0) this.settings.log('error', `Cannot write events to their journal: ${reason}`)
    this.failedAt = Date.now()
  }

  private lose(count: number, reason: string): void {
    this.fail(reason)
    this.lost += count
    this.totalLost += count
  }

  /**
   * On a full disk, small groups may still be written while large ones fail, so one log line covers the whole period.
   */
  private tellSettled(now: number): void {
    if (this.failedAt === 0 || now - this.failedAt < SETTLED_MS) return
    if (this.lost > 0) this.settings.log('warning', `The event journal lacks ${this.lost} events`)
    else this.settings.log('info', 'Events are written to their journal again, and none is missing')
    this.lost = this.failedAt = 0
  }

  /** Removes segments that are too old or too many; never the last. */
  prune(now: number = Date.now()): void {
    const { maxAgeSeconds, maxBytes } = this.settings
    const all = segmentsIn(this.folder).map((segment) => ({ ...segment, ...statOf(segment) }))
    let total = all.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { path, bytes, written } of all.slice(0, -1)) {
      if (total <= maxBytes && now - written <= maxAgeSeconds * 1000) return
      rmSync(path, { force: true })
      total -= bytes
    }
  }
}

function statOf({ path }: Segment): { bytes: number; written: number } {
  const { size, mtimeMs } = statSync(path)
  return { bytes: size, written: mtimeMs }
}
