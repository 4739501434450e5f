// Numbers about a process, in the text format of Prometheus 0.0.4.

type Labels = Readonly<Record<string, string>>

/** A family of numbers: one name, and a series for each combination of labels. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** The lines of the series. */
  lines(): Iterable<string>
}

/** Series of a family. Labels of further series are `other`, so that callers cannot make them without end. */
const MOST_SERIES = 500

const OTHER = 'other'

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

const LONGEST_LABEL = 200

const escaped = (text: string): string =>
  text.slice(0, LONGEST_LABEL).replace(/[\\"\n]/g, (character) => ESCAPES[character]!)

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const numberText = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value))

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

  [Symbol.iterator](): Iterator<{ labels: Labels; value: T }> {
    return this.values.values()
  }
}

export class Counter implements Family {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  private readonly series = new Series(() => ({ count: 0 }))

  constructor(name: string, help: string) {
    this.name = name
    this.help = help
  }

  add(labels: Labels = {}, count = 1): void {
    this.series.at(labels).count += count
  }

  *lines(): Generator<string> {
    for (const { labels, value } of this.series) yield `${this.name}${labelText(labels)} ${value.count}`
  }
}

export class Histogram implements Family {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  private readonly bounds: readonly number[]
  private readonly series: Series<{ buckets: number[]; sum: number; count: number }>

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.name = name
    this.help = help
    this.bounds = [...bounds].sort((one, other) => one - other)
    this.series = new Series(() => ({ buckets: this.bounds.map(() => 0), sum: 0, count: 0 }))
  }

  observe(value: number, labels: Labels = {}): void {
    const series = this.series.at(labels)
    series.sum += value
    series.count++
    const at = this.bounds.findIndex((bound) => value <= bound)
    if (at >= 0) series.buckets[at]!++
  }

  *lines(): Generator<string> {
    for (const { labels, value } of this.series) {
      let below = 0
      for (const [at, bound] of this.bounds.entries()) {
        below += value.buckets[at]!
        yield `${this.name}_bucket${labelText({ ...labels, le: numberText(bound) })} ${below}`
      }
      yield `${this.name}_bucket${labelText({ ...labels, le: '+Inf' })} ${value.count}`
      yield `${this.name}_sum${labelText(labels)} ${value.sum}`
      yield `${this.name}_count${labelText(labels)} ${value.count}`
    }
  }
}

/** Numbers that are asked for when they are shown. */
export class Asked implements Family {
  readonly type: 'counter' | 'gauge'
  readonly name: string
  readonly help: string
  private readonly ask: () => number | undefined | Array<[Labels, number]>

  /** `ask` returns undefined where the number cannot be known. */
  constructor(
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    ask: () => number | undefined | Array<[Labels, number]>,
  ) {
    this.type = type
    this.name = name
    this.help = help
    this.ask = ask
  }

  *lines(): Generator<string> {
    const asked = this.ask()
    if (asked === undefined) return
    const all: Array<[Labels, number]> = typeof asked === 'number' ? [[{}, asked]] : asked
    for (const [labels, value] of all) yield `${this.name}${labelText(labels)} ${numberText(value)}`
  }
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Write families as Prometheus reads them. */
export function metricsText(families: Iterable<Family>): string {
  const lines: string[] = []
  for (const family of families) {
    const series = [...family.lines()]
    if (series.length === 0) continue
    lines.push(`# HELP ${family.name} ${family.help}`, `# TYPE ${family.name} ${family.type}`, ...series)
  }
  return `${lines.join('\n')}\n`
}
