// The events on the page: those that match a filter, from a position in the journal to the newest. Memory is bounded;
// dropped events can be read from the journal again.
import { type ReadonlySignal, signal } from '@preact/signals'
import { Problem } from '../../api/client.ts'
import type { LiveEvent, Missed } from '../../live/stream.ts'

/** An event, or events that the journal does not have. */
export type LogRow = LiveEvent | Missed

export const isGap = (row: LogRow): row is Missed => 'first' in row

export interface LogPage {
  items: readonly LiveEvent[]
  /** `before` of the page before this one; null at the beginning of the journal. */
  previous: number | null
  /** The number of the last event that was looked at. */
  last: number
}

export interface LogSource {
  fits(event: LiveEvent): boolean
  /** Read past events: the latest ones, those before a number, or those after one. */
  load(place: { before?: number; since?: number }): Promise<LogPage>
}

export interface LogState {
  /** Newest first. */
  rows: readonly LogRow[]
  /** The position for reading earlier events; null if there are none. */
  previous: number | null
  isHeld: boolean
  /** How many events arrived while the log is paused. */
  waiting: number
  isLoading: boolean
  problem: Problem | undefined
}

export interface LogBounds {
  /** Rows that are kept while events come, and while the log is held and read back. */
  most: number
  mostHeld: number
  /** Characters of the data of all rows together. */
  size: number
}

const BOUNDS: LogBounds = { most: 5000, mostHeld: 20_000, size: 24 << 20 }

/** How often the journal is polled for the last events, because it is written shortly after they arrive. */
const LOOKS = 40
const LOOK_MS = 100
/** Pages to read until one has matching events. */
const PAGES = 5

const sizes = new WeakMap<LiveEvent, number>()

/** About how many characters the data of an event has. */
function sizeOf(row: LogRow): number {
  if (isGap(row)) return 0
  let size = sizes.get(row)
  if (size === undefined) {
    size = JSON.stringify(row.data).length
    sizes.set(row, size)
  }
  return size
}

const endOf = (row: LogRow): number => (isGap(row) ? row.last : row.number)
const beginOf = (row: LogRow): number => (isGap(row) ? row.first : row.number)

const EMPTY: LogState = { rows: [], previous: null, isHeld: false, waiting: 0, isLoading: true, problem: undefined }

export class EventLog {
  private readonly shown = signal<LogState>(EMPTY)
  private readonly source: LogSource
  private readonly bounds: LogBounds
  /** Events that arrived while the log is paused or its first page is loading, the newest last. */
  private kept: LogRow[] = []
  private keptSize = 0
  private hasLost = false
  private isBegun = false
  /** The number of the last event that the pages have, or will have once they are read. */
  private read = 0
  private turn = 0

  constructor(source: LogSource, bounds: Partial<LogBounds> = {}) {
    this.source = source
    this.bounds = { ...BOUNDS, ...bounds }
  }

  get state(): ReadonlySignal<LogState> {
    return this.shown
  }

  /** Read the latest events; `passed` is the number of the stream's last event before this log listened. */
  async begin(passed: number): Promise<void> {
    const turn = ++this.turn
    this.isBegun = false
    this.dropRead(passed)
    this.change({ isLoading: true, problem: undefined })
    let page: LogPage = { items: [], previous: null, last: passed }
    let problem: Problem | undefined
    try {
      page = await this.source.load({})
      page = await this.upTo(page, passed)
    } catch (error) {
      problem = error instanceof Problem ? error : new Problem(0, String(error))
    }
    if (turn !== this.turn) return
    const rows = page.items.filter((event) => this.source.fits(event)).reverse()
    this.isBegun = true
    this.change({ rows, previous: page.previous, isLoading: false, problem })
    this.dropRead(page.last)
    if (!this.shown.peek().isHeld) this.showKept()
    if (rows.length === 0 && page.previous !== null) await this.earlier()
  }

  /** Add the events that the journal got since a page was read. */
  private async upTo(page: LogPage, passed: number): Promise<LogPage> {
    let { items, last } = page
    for (let looks = 0; last < passed && looks < LOOKS; looks++) {
      const more = await this.source.load({ since: last })
      items = [...items, ...more.items]
      if (more.last > last) looks = 0
      else await new Promise((done) => setTimeout(done, LOOK_MS))
      last = Math.max(last, more.last)
    }
    return { ...page, items, last }
  }

  /** Take events of the stream. */
  add(events: readonly LiveEvent[]): void {
    this.take(events.filter((event) => this.source.fits(event)))
  }

  /** Take the news that events are missing. */
  miss(gap: Missed): void {
    this.take([gap])
  }

  /** Show nothing new until `release`. */
  hold(): void {
    if (!this.shown.peek().isHeld) this.change({ isHeld: true, waiting: this.kept.length })
  }

  release(): void {
    if (!this.shown.peek().isHeld) return
    this.change({ isHeld: false, waiting: 0 })
    if (this.isBegun) this.showKept()
  }

  /** Read the events before the oldest row. */
  async earlier(): Promise<void> {
    const { turn } = this
    for (let pages = 0; pages < PAGES; pages++) {
      const { previous, rows, isLoading } = this.shown.peek()
      if (previous === null || (isLoading && pages === 0) || rows.length >= this.bounds.mostHeld) break
      this.change({ isLoading: true })
      try {
        const page = await this.source.load({ before: previous })
        if (turn !== this.turn) return
        const found = page.items.filter((event) => this.source.fits(event)).reverse()
        this.change({ rows: [...this.shown.peek().rows, ...found], previous: page.previous, problem: undefined })
        if (found.length > 0) break
      } catch (error) {
        if (turn !== this.turn) return
        this.change({ problem: error instanceof Problem ? error : new Problem(0, String(error)) })
        break
      }
    }
    this.change({ isLoading: false })
  }

  /** Drop events up to a number, which pages have; the stream may pass them on later, because it gathers events. */
  private dropRead(last: number): void {
    this.read = last
    this.kept = this.kept.filter((row) => endOf(row) > last)
    this.keptSize = this.kept.reduce((size, row) => size + sizeOf(row), 0)
  }

  private change(part: Partial<LogState>): void {
    this.shown.value = { ...this.shown.peek(), ...part }
  }

  private take(came: readonly LogRow[]): void {
    const rows = came.filter((row) => endOf(row) > this.read)
    if (rows.length === 0) return
    this.kept.push(...rows)
    for (const row of rows) this.keptSize += sizeOf(row)
    if (this.isBegun && !this.shown.peek().isHeld) this.showKept()
    else this.boundKept()
    if (this.shown.peek().isHeld) this.change({ waiting: this.kept.length })
  }

  private boundKept(): void {
    let drop = Math.max(0, this.kept.length - this.bounds.most)
    for (let at = 0; at < drop; at++) this.keptSize -= sizeOf(this.kept[at]!)
    while (this.keptSize > this.bounds.size && drop < this.kept.length) this.keptSize -= sizeOf(this.kept[drop++]!)
    if (drop === 0) return
    this.kept = this.kept.slice(drop)
    this.hasLost = true
  }

  /**
   * Insert the waiting events above the rows. If some of them were dropped, drop the rows below too: the journal has
   * them.
   */
  private showKept(): void {
    const news = this.kept.reverse()
    const below = this.hasLost ? [] : this.shown.peek().rows
    this.kept = []
    this.keptSize = 0
    this.hasLost = false
    const rows = [...news, ...below]
    let size = 0
    let end = 0
    while (end < rows.length && end < this.bounds.most && size <= this.bounds.size) size += sizeOf(rows[end++]!)
    const isCut = end < rows.length || below.length < this.shown.peek().rows.length
    const oldest = rows[end - 1]
    this.change({
      rows: rows.slice(0, end),
      ...(isCut && oldest && { previous: beginOf(oldest) }),
    })
  }
}
