// The status line at the bottom of a terminal while minions work: done, running and silent minions. It is removed when
// the last minion has returned.
import type { Streams } from '../streams.ts'

const SHOWN_AFTER_MS = 1000
const LONGEST = 78

export class StatusLine {
  private readonly streams: Streams
  private readonly waiting: Set<string>
  private readonly total: number
  private running: ReadonlySet<string> | undefined
  private readonly timer: NodeJS.Timeout | undefined
  private isDue = false
  private isShown = false

  constructor(streams: Streams, minions: readonly string[]) {
    this.streams = streams
    this.waiting = new Set(minions)
    this.total = minions.length
    if (!streams.terminal) return
    this.timer = setTimeout(() => {
      this.isDue = true
      this.draw()
    }, SHOWN_AFTER_MS)
  }

  /** Room for a minion's output. */
  done(id: string): void {
    this.waiting.delete(id)
    this.clear()
  }

  runningAre(ids: ReadonlySet<string>): void {
    this.running = new Set(ids)
    this.draw()
  }

  draw(): void {
    if (!this.isDue || this.waiting.size === 0) return
    const names = (isWanted: (id: string) => boolean): string => [...this.waiting].filter(isWanted).join(' ')
    const parts: Array<[string, string]> = this.running
      ? [
          ['running', names((id) => this.running!.has(id))],
          ['no answer', names((id) => !this.running!.has(id))],
        ]
      : [['waiting for', names(() => true)]]
    const told = parts.filter(([, ids]) => ids !== '').map(([what, ids]) => `${what}: ${ids}`)
    const text = [`${this.total - this.waiting.size} of ${this.total} done`, ...told].join(', ')
    this.streams.err(`\r\x1b[K${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`)
    this.isShown = true
  }

  clear(): void {
    if (this.isShown) this.streams.err('\r\x1b[K')
    this.isShown = false
  }

  close(): void {
    clearTimeout(this.timer)
    this.clear()
  }
}
