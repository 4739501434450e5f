// Metrics of a process: counters, gauges and histograms, each with labels.
import { type DeclaredMetric, declaredMetric, type MetricName } from './declared.ts'

export type Labels = Readonly<Record<string, string>>

/** One series: a number, or the buckets of a histogram. */
export type Point = { labels: Labels; value: number } | { labels: Labels; buckets: Buckets }

export interface Buckets {
  /** Upper bounds of the buckets, in order; the last bucket has none. */
  bounds: readonly number[]
  /** How many values are in each bucket; there is one more bucket than bounds. */
  counts: readonly number[]
  sum: number
  count: number
}

/** A metric with a point for each combination of labels. */
export interface MetricFamily {
  /** The name in OpenTelemetry's form, such as `salt.jobs.published`. */
  readonly name: MetricName
  readonly help: string
  readonly type: DeclaredMetric['type']
  readonly unit: NonNullable<DeclaredMetric['unit']> | ''
  readonly points: () => readonly Point[]
}

/**
 * Limit of series of a metric. Further series get the label `other`, so that callers cannot create them without end.
 */
const MOST_SERIES = 500

export const OTHER = 'other'

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

/** Return the declaration of a metric for its family. */
function described(name: MetricName): Omit<MetricFamily, 'points'> {
  const { help, type, unit = '' } = declaredMetric(name)
  return { name, help, type, unit }
}

export class Counter {
  readonly family: MetricFamily
  private readonly series = new Series(() => ({ count: 0 }))

  constructor(name: MetricName) {
    this.family = { ...described(name), points: () => this.points() }
  }

  add(labels: Labels = {}, amount = 1): void {
    this.series.at(labels).count += amount
  }

  /** Return the series of some labels, for hot paths: adding to `count` counts. */
  at(labels: Labels): { count: number } {
    return this.series.at(labels)
  }

  private points(): Point[] {
    return this.series.map((labels, { count }) => ({ labels, value: count }))
  }
}

export class Histogram {
  readonly family: MetricFamily
  private readonly bounds: readonly number[]
  private readonly series: Series<{ counts: number[]; sum: number; count: number }>

  constructor(name: MetricName, bounds: readonly number[]) {
    this.family = { ...described(name), points: () => this.points() }
    this.bounds = [...bounds].sort((one, other) => one - other)
    this.series = new Series(() => ({ counts: [...this.bounds.map(() => 0), 0], sum: 0, count: 0 }))
  }

  observe(value: number, labels: Labels = {}): void {
    this.at(labels)(value)
  }

  /** Return the function that observes values of some labels, for hot paths. */
  at(labels: Labels): (value: number) => void {
    const series = this.series.at(labels)
    const { bounds } = this
    return (value) => {
      series.sum += value
      series.count++
      let bucket = 0
      while (bucket < bounds.length && value > bounds[bucket]!) bucket++
      series.counts[bucket]!++
    }
  }

  private points(): Point[] {
    return this.series.map((labels, value) => ({ labels, buckets: { bounds: this.bounds, ...value } }))
  }
}

/** The result of a source of numbers: a number, numbers by labels, or undefined if unknown. */
export type MetricReading = number | undefined | Array<[Labels, number]>

/** Return a family whose numbers are computed when they are read. */
export function asked(name: MetricName, ask: () => MetricReading): MetricFamily {
  const points = (): Point[] => {
    const value = ask()
    if (value === undefined) return []
    return typeof value === 'number'
      ? [{ labels: {}, value }]
      : value.map(([labels, each]) => ({ labels, value: each }))
  }
  return { ...described(name), points }
}

/** Return families of a table of sources. */
export const askedAll = (sources: Partial<Record<MetricName, () => MetricReading>>): MetricFamily[] =>
  Object.entries(sources).map(([name, ask]) => asked(name as MetricName, ask))
