// Numbers about a process: counters, gauges and histograms, each with labels.

export type Labels = Readonly<Record<string, string>>

/** One series: a number, or the buckets of a histogram. */
export type Point = { labels: Labels; value: number } | { labels: Labels; buckets: Buckets }

export interface Buckets {
  /** Upper bounds of the buckets, in order; the last bucket has none. */
  bounds: readonly number[]
  /** How many values fell into each bucket: one more than there are bounds. */
  counts: readonly number[]
  sum: number
  count: number
}

/** A family of numbers: one name, and a point for each combination of labels. */
export interface Family {
  /** As OpenTelemetry writes names, such as `salt.jobs.published`. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Milliseconds, seconds, bytes, or none. */
  readonly unit: 'ms' | 's' | 'By' | ''
  readonly points: () => readonly Point[]
}

/** Series of a family. Labels of further series are `other`, so that callers cannot make them without end. */
const MOST_SERIES = 500

const OTHER = 'other'

/** Values by labels, with a bound. */
class Series<T> {
  private readonly values = new Map<string, { labels: Labels; value: T }>()
  private readonly fresh: () => T

  constructor(fresh: () => T) {
    this.fresh = fresh
  }

  at(labels: Labels): T {
    const key = Object.values(labels).join('\0')
    const known = this.values.get(key)
    if (known) return known.value
    if (this.values.size >= MOST_SERIES && !Object.values(labels).every((value) => value === OTHER))
      return this.at(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])))
    const value = this.fresh()
    this.values.set(key, { labels, value })
    return value
  }

  map<R>(use: (labels: Labels, value: T) => R): R[] {
    return [...this.values.values()].map(({ labels, value }) => use(labels, value))
  }
}

export class Counter implements Family {
  readonly type = 'counter'
  readonly unit = ''
  readonly name: string
  readonly help: string
  private readonly series = new Series(() => ({ count: 0 }))

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  add(labels: Labels = {}): void {
    this.series.at(labels).count++
  }

  readonly points = (): Point[] => this.series.map((labels, { count }) => ({ labels, value: count }))
}

export class Histogram implements Family {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly unit: 'ms' | 's'
  private readonly bounds: readonly number[]
  private readonly series: Series<{ counts: number[]; sum: number; count: number }>

  constructor(name: string, help: string, unit: 'ms' | 's', bounds: readonly number[]) {
    this.name = name
    this.help = help
    this.unit = unit
    this.bounds = [...bounds].sort((one, other) => one - other)
    this.series = new Series(() => ({ counts: [...this.bounds.map(() => 0), 0], sum: 0, count: 0 }))
  }

  observe(value: number, labels: Labels = {}): void {
    const series = this.series.at(labels)
    series.sum += value
    series.count++
    const at = this.bounds.findIndex((bound) => value <= bound)
    series.counts[at < 0 ? this.bounds.length : at]!++
  }

  readonly points = (): Point[] =>
    this.series.map((labels, value) => ({ labels, buckets: { bounds: this.bounds, ...value } }))
}

/** Return a family whose numbers are asked for when they are shown; undefined where they cannot be known. */
export function asked(
  { name, help, type = 'gauge', unit = '' }: Pick<Family, 'name' | 'help'> & Partial<Pick<Family, 'type' | 'unit'>>,
  ask: () => number | undefined | Array<[Labels, number]>,
): Family {
  const points = (): Point[] => {
    const value = ask()
    if (value === undefined) return []
    return typeof value === 'number'
      ? [{ labels: {}, value }]
      : value.map(([labels, each]) => ({ labels, value: each }))
  }
  return { name, help, type, unit, points }
}
