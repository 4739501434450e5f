// `tsx tools/metrics-manual.ts`: writes docs/reference/metrics.md from the declarations of src/telemetry/. A test fails when the page is out
// of date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declaredMetric, METRICS, type MetricName, type MetricRole, promName } from '../src/telemetry/mod.ts'

export const METRICS_PAGE = 'docs/reference/metrics.md'

const TITLES: Readonly<Record<MetricRole, string>> = {
  master: 'Metrics of a master',
  minion: 'Metrics of a minion',
  api: 'Metrics of the API',
}

/** Return the page of all metrics. */
export function metricsPage(): string {
  const head = [
    '# Metrics',
    '',
    'Made by `tools/metrics-manual.ts` from `src/telemetry/declared.ts`; do not edit by hand.',
    '',
    'The names are those that Prometheus shows. OTLP has dots in place of underscores, and neither the unit nor `_total` in the name: ',
    '`salt_jobs_published_total` is `salt.jobs.published`. Names with `salt` are those of Salt 3008, names with `brine` are our own.',
    'A histogram has the series `_bucket`, `_sum` and `_count`. [monitoring.md](../monitoring.md) says how to switch metrics on.',
    '',
  ]
  const roles = Object.keys(TITLES) as MetricRole[]
  return `${[...head, ...roles.flatMap(tableOf)]
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()}\n`
}

function tableOf(role: MetricRole): string[] {
  const names = (Object.keys(METRICS) as MetricName[]).filter((name) => declaredMetric(name).of.includes(role))
  return [`## ${TITLES[role]}`, '', '| metric | type | |', '|---|---|---|', ...names.map(rowOf), '']
}

function rowOf(name: MetricName): string {
  const { type, labels = [], help } = declaredMetric(name)
  const shown = `${promName(name)}${labels.length > 0 ? `{${labels.join(',')}}` : ''}`
  return `| \`${shown}\` | ${type} | ${help} |`
}

if (import.meta.filename === process.argv[1])
  writeFileSync(join(import.meta.dirname, '..', METRICS_PAGE), metricsPage())
