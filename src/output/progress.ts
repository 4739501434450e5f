// One line at the foot of a terminal that says how far a long run has come. It is drawn over itself, appears only when
// the run has lasted a while, and is gone before anything else is printed.
import { textLength } from '../data/mod.ts'
import { stripEscapes } from './text.ts'

export interface ProgressScreen {
  write(text: string): void
  /** The present width of the terminal; 0 if the terminal does not report it. */
  columns(): number
  /** Milliseconds of a clock that never goes back. */
  now(): number
}

/** The width for a terminal that reports none, such as one of `script` without input. */
const USUAL_COLUMNS = 80

export interface ProgressTimes {
  /** Milliseconds before the line is shown at all, so that short runs print nothing. */
  after: number
  /** The least time between two drawings. */
  every: number
}

export interface ProgressStep {
  done: number
  total: number
  /** The current step, such as `file.managed: /etc/motd`. */
  label: string
}

export class ProgressLine {
  private readonly screen: ProgressScreen
  private readonly times: ProgressTimes
  private readonly started: number
  private drawn: number | undefined

  constructor(screen: ProgressScreen, times: Partial<ProgressTimes> = {}) {
    this.screen = screen
    this.times = { after: 1000, every: 100, ...times }
    this.started = screen.now()
  }

  update(step: ProgressStep): void {
    const now = this.screen.now()
    if (now - this.started < this.times.after) return
    if (this.drawn !== undefined && now - this.drawn < this.times.every) return
    this.drawn = now
    this.screen.write(`\r${progressText(step, now - this.started, this.screen.columns())}\x1b[K`)
  }

  /** Removes the line. The next update draws it again. */
  clear(): void {
    if (this.drawn === undefined) return
    this.drawn = undefined
    this.screen.write('\r\x1b[K')
  }
}

/** Return ` 37/120   30 %  1:05  file.managed: /etc/motd`, cut to the columns before the last. */
function progressText({ done, total, label }: ProgressStep, elapsed: number, columns: number): string {
  const count = `${String(done).padStart(String(total).length)}/${total}`
  const share = total > 0 ? Math.floor((done / total) * 100) : 100
  const seconds = Math.floor(elapsed / 1000)
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  const line = `${count}  ${String(share).padStart(3)} %  ${clock}  ${stripEscapes(label).replace(/[\x00-\x1f\x7f]+/g, ' ')}`
  const room = (columns > 0 ? columns : USUAL_COLUMNS) - 1
  return textLength(line) <= room ? line : [...line].slice(0, room).join('')
}
