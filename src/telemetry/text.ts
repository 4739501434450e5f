// Metrics in the text format of Prometheus, version 0.0.4.
import { type DeclaredMetric, declaredMetric, type MetricName } from './declared.ts'
import type { Labels, MetricFamily, Point } from './families.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' }

const LONGEST_LABEL = 200

const escaped = (text: string): string =>
  text.slice(0, LONGEST_LABEL).replace(/[\\"\n]/g, (character) => ESCAPES[character]!)

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const UNITS: Readonly<Record<NonNullable<DeclaredMetric['unit']>, string>> = {
  ms: '_milliseconds',
  s: '_seconds',
  By: '_bytes',
}

/** Return the Prometheus name of a metric. */
export function promName(name: MetricName): string {
  const { unit, type } = declaredMetric(name)
  return `${name.replaceAll('.', '_')}${unit ? UNITS[unit] : ''}${type === 'counter' ? '_total' : ''}`
}

/** Write families in the text format of Prometheus. */
export function metricsText(families: Iterable<MetricFamily>): string {
  const lines: string[] = []
  for (const family of families) {
    const name = promName(family.name)
    const series = family.points().flatMap((point) => seriesLines(name, point))
    if (series.length > 0) lines.push(`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`, ...series)
  }
  return `${lines.join('\n')}\n`
}

function seriesLines(name: string, point: Point): string[] {
  const { labels } = point
  if ('value' in point) return [`${name}${labelText(labels)} ${point.value}`]
  const { bounds, counts, sum, count } = point.buckets
  let below = 0
  const buckets = [...bounds.map(String), '+Inf'].map((bound, at) => {
    below += counts[at]!
    return `${name}_bucket${labelText({ ...labels, le: bound })} ${below}`
  })
  return [...buckets, `${name}_sum${labelText(labels)} ${sum}`, `${name}_count${labelText(labels)} ${count}`]
}
