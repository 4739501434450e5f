// The status line at the bottom of a terminal while targets work: how many are done, and the current step of the
// others.
import { ProgressLine } from '../../output/mod.ts'
import type { Streams } from '../streams.ts'

const EVERY_MS = 500

export class Status {
  private readonly line: ProgressLine | undefined
  /** The current step of each target by id. */
  private readonly waiting: Map<string, string>
  private readonly total: number
  private readonly timer: NodeJS.Timeout | undefined

  constructor(streams: Streams, targets: readonly string[]) {
    this.waiting = new Map(targets.map((id) => [id, '']))
    this.total = targets.length
    if (!streams.terminal || streams.errTerminal !== true) return
    this.line = new ProgressLine({
      write: (text) => streams.err(text),
      columns: () => process.stderr.columns ?? 80,
      now: () => performance.now(),
    })
    this.timer = setInterval(() => this.draw(), EVERY_MS).unref()
  }

  /** Note the current step of a target. */
  at(id: string, what: string): void {
    if (this.waiting.has(id)) this.waiting.set(id, what)
    this.draw()
  }

  /** Make room for the output of a target. */
  done(id: string): void {
    this.waiting.delete(id)
    this.clear()
  }

  clear(): void {
    this.line?.clear()
  }

  close(): void {
    clearInterval(this.timer)
    this.clear()
  }

  private draw(): void {
    if (this.waiting.size === 0) return
    const label = [...this.waiting].map(([id, what]) => (what === '' ? id : `${id}: ${what}`)).join(', ')
    this.line?.update({ done: this.total - this.waiting.size, total: this.total, label })
  }
}
