// The files of monitoring/: every metric and label that they name is declared, promtool accepts them, and a real Prometheus reads a
// real master and minion with them.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { declaredMetric, METRICS, type MetricName, promName } from '../../src/telemetry/mod.ts'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

const FOLDER = join(import.meta.dirname, '../../monitoring')
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')
const run = promisify(execFile)

const hasPrometheus = await run('prometheus', ['--version']).then(
  () => true,
  () => false,
)
if (!hasPrometheus) process.stderr.write('Skipping the tests with Prometheus: not installed\n')

/** Names of series by the names that Prometheus shows, with their labels. */
const SERIES = new Map(
  (Object.keys(METRICS) as MetricName[]).flatMap((name): Array<[string, readonly string[]]> => {
    const { type, labels = [] } = declaredMetric(name)
    const shown = promName(name)
    if (type !== 'histogram') return [[shown, labels]]
    return [
      [`${shown}_bucket`, [...labels, 'le']],
      [`${shown}_sum`, labels],
      [`${shown}_count`, labels],
    ]
  }),
)

/** Labels that Prometheus adds. */
const ADDED = ['instance', 'job']

/** Return the problems with the metrics and labels of an expression. */
function problemsOf(expr: string): string[] {
  const plain = expr.replaceAll(/"[^"]*"/g, '""')
  const names = [...plain.matchAll(/\b((?:salt|brine)_\w+)/g)].map(([, name]) => name!)
  const unknown = names.filter((name) => !SERIES.has(name)).map((name) => `no metric ${name}`)
  const labels = new Set([...ADDED, ...names.flatMap((name) => SERIES.get(name) ?? [])])
  const used = [
    ...[...plain.matchAll(/\{([^}]*)\}/g)].flatMap(([, inner]) => [...inner!.matchAll(/(\w+)\s*[=!]/g)]),
    ...[...plain.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, inner]) => [...inner!.matchAll(/(\w+)/g)]),
  ].map(([, label]) => label!)
  return [...unknown, ...used.filter((label) => !labels.has(label)).map((label) => `no label ${label}`)]
}

describe('the files of monitoring/', () => {
  test('name metrics and labels that are declared', () => {
    expect(problemsOf('salt_job_duration_milliseconds')).toEqual(['no metric salt_job_duration_milliseconds'])
    expect(problemsOf('brine_minions{stat="x"}')).toEqual(['no label stat'])
    const { panels, templating } = JSON.parse(read('grafana/brine.json')) as {
      panels: Array<{ targets?: Array<{ expr: string; legendFormat: string }> }>
      templating: { list: Array<{ query?: { query: string } | string }> }
    }
    const targets = panels.flatMap(({ targets = [] }) => targets)
    expect(targets.length).toBeGreaterThan(30)
    for (const { expr, legendFormat } of targets) {
      expect(problemsOf(expr), expr).toEqual([])
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
      expect(shown.filter((label) => !ADDED.includes(label) && !expr.includes(label))).toEqual([])
    }
    expect(JSON.stringify(templating)).toContain('label_values(brine_build_info, instance)')
    const rules = [...read('prometheus/brine.rules.yml').matchAll(/^ +expr: '(.*)'$/gm)].map(([, expr]) => expr!)
    expect(rules.length).toBeGreaterThan(15)
    for (const expr of rules) expect(problemsOf(expr), expr).toEqual([])
  })

  test('have a test for every alert, and docs/monitoring.md describes it', () => {
    const alerts = [...read('prometheus/brine.rules.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name!)
    const docs = readFileSync(join(FOLDER, '../docs/monitoring.md'), 'utf8')
    const tests = read('prometheus/brine.rules.test.yml')
    expect(alerts.filter((name) => !tests.includes(`alertname: ${name}\n`))).toEqual([])
    expect(alerts.filter((name) => !docs.includes(`\`${name}\``))).toEqual([])
  })

  test.skipIf(!hasPrometheus)('pass the checks and tests of promtool', async () => {
    const cwd = join(FOLDER, 'prometheus')
    await run('promtool', ['check', 'config', 'prometheus.yml'], { cwd })
    await run('promtool', ['check', 'rules', 'brine.rules.yml'], { cwd })
    await run('promtool', ['test', 'rules', 'brine.rules.test.yml'], { cwd })
  })
})

describe.skipIf(!hasPrometheus)('Prometheus', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-prometheus-'))
  let site: TestSite
  let server: ChildProcess
  let port: number
  let ports: number[]

  const ask = async (query: string): Promise<Array<{ metric: Record<string, string>; value: [number, string] }>> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`
    // it answers with plain text while it starts
    const answer = await fetch(url)
      .then((response) => response.json() as Promise<{ data: { result: never[] } }>)
      .catch(() => undefined)
    return answer?.data?.result ?? []
  }

  beforeAll(async () => {
    site = await TestSite.open()
    ports = [await freePort(), await freePort()]
    port = await freePort()
    const metrics = (own: number): Record<string, unknown> => ({
      metrics: { enabled: true, exporter: 'prometheus', prometheus: { port: own } },
    })
    const master = await site.master('master', '127.0.0.1', metrics(ports[0]!))
    await site.minion('web1', metrics(ports[1]!))
    expect(await master.ask('web1', 'test.ping')).toBe(true)
    const config = read('prometheus/prometheus.yml')
      .replaceAll('30s', '1s')
      .replace('127.0.0.1:9464', `127.0.0.1:${ports[0]}`)
      .replace('127.0.0.1:9465', `127.0.0.1:${ports[1]}`)
    writeFileSync(join(folder, 'prometheus.yml'), config)
    cpSync(join(FOLDER, 'prometheus/brine.rules.yml'), join(folder, 'brine.rules.yml'))
    server = spawn(
      'prometheus',
      [
        '--config.file=prometheus.yml',
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { cwd: folder, stdio: 'ignore' },
    )
  })
  afterAll(async () => {
    const ended = new Promise((done) => server?.once('exit', done))
    server?.kill('SIGKILL')
    await ended
    await site?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('reads a master and a minion, and answers queries', async () => {
    await until('both are read', async () => (await ask('sum(up) == 2')).length > 0)
    const [jobs] = await ask('sum by(fun) (salt_jobs_completed_total{success="true", fun="test.ping"})')
    expect(Number(jobs!.value[1])).toBeGreaterThan(0)
    const versions = await ask('count by(version) (brine_build_info)')
    expect(versions.map(({ value }) => value[1])).toEqual(['2'])
    const quantile = 'histogram_quantile(0.5, salt_minion_exec_duration_milliseconds_bucket{fun="test.ping"})'
    expect(Number((await ask(quantile))[0]!.value[1])).toBeGreaterThan(0)
  })

  test('finds nothing wrong with the metrics but names that are Salt’s', async () => {
    for (const each of ports) {
      const text = await (await fetch(`http://127.0.0.1:${each}/metrics`)).text()
      const checking = run('promtool', ['check', 'metrics'])
      checking.child.stdin!.end(text)
      const { stderr } = await checking.catch((error: { stderr: string }) => error)
      expect(stderr.split('\n').filter((line) => line !== '' && !/^salt_\w+ /.test(line))).toEqual([])
    }
  })
})
