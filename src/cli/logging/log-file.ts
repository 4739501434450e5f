// The log file. It is opened for its first line, so that a quiet run creates no file and needs no permissions. When the
// path leads to another file or to none, it is opened again, so that logrotate needs no `copytruncate`. A file that
// cannot be written is reported once and retried.
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { toError } from '../../base/mod.ts'

/** Salt's mode: readable by the group. */
const LOG_MODE = 0o640

/** Interval of checks of the path, and delay before a failed file is retried, in milliseconds. */
const CHECK_MS = 1000

export interface LogFileSettings {
  path: string
  /** The size at which the file is rotated, in bytes; 0 for never. */
  maxBytes?: number
  /** How many rotated files are kept; with 0 the file is not rotated. */
  backups?: number
  /** Called once with the reason when the file cannot be written, and again only after it could be written. */
  onTrouble(problem: string): void
  now?: () => number
}

interface OpenFile {
  descriptor: number
  device: number
  inode: number
  size: number
}

export class LogFile {
  private readonly settings: LogFileSettings
  private readonly now: () => number
  private file: OpenFile | undefined
  private checked = 0
  private isBroken = false
  private missed = 0
  /** Whether the last line was cut by an error, so that the next one has to begin a line. */
  private isTorn = false

  constructor(settings: LogFileSettings) {
    this.settings = settings
    this.now = settings.now ?? Date.now
  }

  /** Write a line; false if the file cannot be written. `note` formats a line about the lost ones. */
  write(line: string, note: (text: string) => string): boolean {
    const now = this.now()
    const isDue = Math.abs(now - this.checked) >= CHECK_MS
    if (this.isBroken && !isDue) {
      this.missed++
      return false
    }
    try {
      if (isDue) this.follow(now)
      this.file ??= this.open()
      if (this.missed > 0) this.append(note(`${this.missed} lines are missing: the log file could not be written`))
      this.isBroken = false
      this.missed = 0
      this.append(line)
      return true
    } catch (error) {
      this.fail(toError(error))
      return false
    }
  }

  /** Close the file, so that the next line opens the path again. */
  reopen(): void {
    if (this.file) closeSync(this.file.descriptor)
    this.file = undefined
    this.checked = 0
  }

  private open(): OpenFile {
    const { path } = this.settings
    mkdirSync(dirname(path), { recursive: true })
    const descriptor = openSync(path, 'a', LOG_MODE)
    const { dev: device, ino: inode, size } = fstatSync(descriptor)
    return { descriptor, device, inode, size }
  }

  private follow(now: number): void {
    this.checked = now
    if (this.file && !this.isNamed(this.file)) this.reopen()
    this.checked = now
  }

  /** Whether the path still leads to the open file. */
  private isNamed({ device, inode }: OpenFile): boolean {
    const found = statSync(this.settings.path, { throwIfNoEntry: false })
    return found?.ino === inode && found.dev === device
  }

  private append(line: string): void {
    const bytes = Buffer.from(this.isTorn ? `\n${line}` : line)
    if (this.isOver(bytes.length)) this.rotate()
    const { descriptor } = this.file!
    for (let written = 0; written < bytes.length; this.isTorn = written < bytes.length) {
      written += writeSync(descriptor, bytes, written)
    }
    this.file!.size += bytes.length
  }

  private isOver(more: number): boolean {
    const { maxBytes = 0, backups = 0 } = this.settings
    return maxBytes > 0 && backups > 0 && this.file!.size > 0 && this.file!.size + more > maxBytes
  }

  /** `log` becomes `log.1`, `log.1` becomes `log.2`, and so on. Another program may have done it already. */
  private rotate(): void {
    const { path, backups = 0 } = this.settings
    const isOurs = this.isNamed(this.file!)
    this.reopen()
    for (let number = backups - 1; isOurs && number >= 0; number--) {
      const name = number === 0 ? path : `${path}.${number}`
      if (statSync(name, { throwIfNoEntry: false })) renameSync(name, `${path}.${number + 1}`)
    }
    this.file = this.open()
    this.checked = this.now()
  }

  private fail(error: Error): void {
    this.missed++
    this.reopen()
    this.checked = this.now()
    if (this.isBroken) return
    this.isBroken = true
    this.settings.onTrouble(`Failed to write the log file; trying again later: ${error.message}`)
  }
}
