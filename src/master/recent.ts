// Statistics of the last minute and hour: counts, and durations of the latest returns.

const SLOTS = 60

/** Counts of the last 60 intervals. */
class Slots {
  private readonly counts = new Float64Array(SLOTS)
  private readonly length: number
  private last = 0

  constructor(milliseconds: number) {
    this.length = milliseconds
  }

  add(now: number): void {
    this.advance(now)
    this.counts[this.last % SLOTS]!++
  }

  sum(now: number): number {
    this.advance(now)
    return this.counts.reduce((total, count) => total + count, 0)
  }

  private advance(now: number): void {
    const slot = Math.floor(now / this.length)
    for (let passed = Math.max(this.last + 1, slot - SLOTS + 1); passed <= slot; passed++)
      this.counts[passed % SLOTS] = 0
    this.last = Math.max(this.last, slot)
  }
}

/** Count of recent occurrences. */
export class RecentCount {
  private readonly seconds = new Slots(1000)
  private readonly minutes = new Slots(60_000)

  add(now: number): void {
    this.seconds.add(now)
    this.minutes.add(now)
  }

  lastMinute(now: number): number {
    return this.seconds.sum(now)
  }

  lastHour(now: number): number {
    return this.minutes.sum(now)
  }
}

/** The latest values of a kind. */
export class RecentValues {
  private readonly values: Float64Array
  private count = 0

  constructor(most = 1024) {
    this.values = new Float64Array(most)
  }

  add(value: number): void {
    this.values[this.count++ % this.values.length] = value
  }

  /** Return a quantile of the values; undefined if there are none. */
  quantile(part: number): number | undefined {
    const known = this.values.slice(0, Math.min(this.count, this.values.length)).sort()
    return known[Math.max(0, Math.ceil(part * known.length) - 1)]
  }
}
