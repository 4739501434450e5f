// Logs the output of users' modules. A module that prints without end causes one note instead of a full disk.
import type { Log } from '../base/mod.ts'

const LONGEST_LINE = 4096
const MOST_BYTES = 1 << 20
const PERIOD_MS = 10_000

/** Escape control characters, with which printed data could forge log lines or control a terminal. */
export const printable = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]/gu, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)

export class OutputLines {
  private readonly log: () => Log
  private rest = ''
  private taken = 0
  private since = 0

  constructor(log: () => Log) {
    this.log = log
  }

  /** Lets it print again: another call has begun. */
  renew(): void {
    this.taken = 0
  }

  /** Whether the log accepts this many more bytes; the first excess is logged. */
  takes(size: number): boolean {
    const now = Date.now()
    if (now - this.since > PERIOD_MS) {
      this.since = now
      this.taken = 0
    }
    const isFirstTooMany = this.taken <= MOST_BYTES && this.taken + size > MOST_BYTES
    this.taken += size
    if (isFirstTooMany) this.log()('warning', 'A Python module prints more than a log can take; the rest is left out')
    return this.taken <= MOST_BYTES
  }

  push(piece: Buffer): void {
    if (!this.takes(piece.length)) return
    const lines = (this.rest + piece.toString()).split('\n')
    this.rest = lines.pop()!.slice(0, LONGEST_LINE)
    for (const line of lines) if (line !== '') this.log()('info', printable(line.slice(0, LONGEST_LINE)))
  }
}
