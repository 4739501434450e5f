// `/metrics`: numbers for Prometheus, by the names of Salt and our own.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { LocalClient } from '../../src/client/mod.ts'
import { freePort } from '../free-port.ts'
import { OtlpCollector } from '../otlp.ts'
import { until } from '../until.ts'
import { ApiSite } from './event-site.ts'

let site: ApiSite
afterEach(() => site.close())

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/gy

/** Read the text format by its grammar; fail at the first line that breaks it. */
function parse(text: string): Sample[] {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  expect(text.endsWith('\n')).toBe(true)
  for (const line of text.trimEnd().split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'TYPE') {
      expect(types.has(name)).toBe(false)
      types.set(name, rest)
    }
    if (kind) continue
    const [, sample = '', labels = '', value = ''] = SAMPLE.exec(line) ?? expect.fail(`No sample: ${line}`)
    const pairs = [...labels.matchAll(LABEL)]
    expect(pairs.map(([all]) => all).join('')).toBe(labels)
    expect(Number(value)).not.toBeNaN()
    const family = types.has(sample) ? sample : sample.replace(/_(?:bucket|sum|count)$/, '')
    expect(types.has(family), line).toBe(true)
    samples.push({
      name: sample,
      labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])),
      value: Number(value),
    })
  }
  return samples
}

const sampleValue = (samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined =>
  samples.find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
  )?.value

const read = async (headers: Record<string, string>): Promise<Response> => fetch(site.url('/metrics'), { headers })

it('shows numbers about jobs, events, requests and readers', async () => {
  site = await ApiSite.open()
  const id = await site.login()
  await site.stream('/events', { 'X-Auth-Token': id })
  const jid = '20260101000000000001'
  site.fire(`salt/job/${jid}/new`, { fun: 'test.ping', user: 'root' })
  site.fire(`salt/job/${jid}/ret/web1`, { fun: 'test.ping', success: true })
  const client = await LocalClient.open(site.opts, silentLog)
  await client.publish({ tgt: 'nobody', fun: 'test.ping', arg: [] })
  client.close()
  site.fire('some"label\\with\nall', {})
  const response = await read({ Authorization: `Bearer ${id}` })
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const samples = parse(await response.text())
  expect(sampleValue(samples, 'salt_jobs_published_total', { fun: 'test.ping' })).toBe(1)
  expect(sampleValue(samples, 'salt_jobs_completed_total', { fun: 'test.ping', success: 'true' })).toBe(1)
  expect(sampleValue(samples, 'salt_job_duration_milliseconds_count', { fun: 'test.ping' })).toBe(1)
  expect(sampleValue(samples, 'salt_events_fired_total', { tag_prefix: 'job' })).toBe(2)
  expect(sampleValue(samples, 'salt_master_requests_handled_total', { cmd: 'publish' })).toBe(1)
  expect(sampleValue(samples, 'salt_master_requests_duration_milliseconds_count', { cmd: 'publish' })).toBe(1)
  expect(sampleValue(samples, 'salt_master_connected_minions_count')).toBe(0)
  expect(sampleValue(samples, 'brine_api_requests_total', { route: '/login', method: 'POST', status: '200' })).toBe(1)
  expect(sampleValue(samples, 'brine_api_request_duration_seconds_bucket', { route: '/login', le: '+Inf' })).toBe(1)
  expect(sampleValue(samples, 'brine_event_readers')).toBe(1)
  expect(sampleValue(samples, 'brine_api_sessions')).toBe(1)
  expect(sampleValue(samples, 'brine_minions', { state: 'accepted' })).toBe(0)
  expect(sampleValue(samples, 'brine_process_resident_memory_bytes')).toBeGreaterThan(1e6)
})

it('has no more series than its bound, whatever callers send', async () => {
  site = await ApiSite.open()
  const id = await site.login()
  for (let n = 0; n < 2000; n++) site.fire(`tag${n}/x`)
  await fetch(site.url('/nosuch/path'))
  const samples = parse(await (await read({ 'X-Auth-Token': id })).text())
  const fired = samples.filter(({ name }) => name === 'salt_events_fired_total')
  expect(fired.length).toBeLessThanOrEqual(501)
  expect(sampleValue(fired, 'salt_events_fired_total', { tag_prefix: 'other' })).toBeGreaterThan(1400)
  expect(sampleValue(samples, 'brine_api_requests_total', { route: 'other', status: '404' })).toBe(1)
})

it('needs a session unless stats_disable_auth is set', async () => {
  site = await ApiSite.open()
  expect((await read({})).status).toBe(401)
  await site.close()
  site = await ApiSite.open({ cherrypy: { enable_sessions: false } })
  expect((await read({})).status).toBe(401)
  await site.close()
  site = await ApiSite.open({ cherrypy: { stats_disable_auth: true } })
  expect((await read({})).status).toBe(200)
})

it('listens where the option metrics says', async () => {
  const port = await freePort()
  const metrics = { enabled: true, exporter: 'prometheus', prometheus: { host: '127.0.0.1', port } }
  site = await ApiSite.open({ options: { metrics } })
  const text = async (): Promise<string> =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
  await until('the listener answers', async () => (await text()).includes('brine_'))
  expect(parse(await text()).length).toBeGreaterThan(10)
})

it('leaves the port of metrics to the master beside it, and reports whether it is connected to the master', async () => {
  const port = await freePort()
  const metrics = { enabled: true, exporter: 'prometheus', prometheus: { host: '127.0.0.1', port } }
  site = await ApiSite.open({ beside: true, options: { metrics }, cherrypy: { stats_disable_auth: true } })
  const ofMaster = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(ofMaster).toContain('brine_journal_size_bytes')
  expect(ofMaster).not.toContain('brine_api_')
  expect(await (await read({})).text()).toContain('brine_api_sessions')
  const health = async (path: string): Promise<[number, string]> => {
    const response = await fetch(site.url(path))
    return [response.status, await response.text()]
  }
  expect(await health('/readyz')).toEqual([200, '{"status":"ok"}\n'])
  await site.stopMaster()
  await until('the API misses its master', async () => (await health('/readyz'))[0] === 503)
  expect(await health('/readyz')).toEqual([503, '{"status":"failing","reasons":["master"]}\n'])
  expect(await health('/healthz')).toEqual([200, '{"status":"ok"}\n'])
})

it('sends numbers to a collector by OTLP', async () => {
  const collector = await new OtlpCollector().open()
  const endpoint = collector.endpoint('metrics')
  site = await ApiSite.open({ options: { metrics: { enabled: true, endpoint } } })
  site.fire('salt/job/20260101000000000001/new', { fun: 'test.ping' })
  site.fire('salt/job/20260101000000000001/ret/web1', { fun: 'test.ping', success: true })
  await site.stopApi()
  await site.stopMaster()
  await collector.close()
  const { metrics } = collector.received.at(-1)!.document.resourceMetrics[0].scopeMetrics[0]
  const named = (name: string): unknown => metrics.find((metric: { name: string }) => metric.name === name)
  const attributes = [{ key: 'fun', value: { stringValue: 'test.ping' } }]
  expect(named('salt.jobs.published')).toMatchObject({
    sum: { isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ attributes, asDouble: 1 }] },
  })
  expect(named('salt.job.duration')).toMatchObject({
    unit: 'ms',
    histogram: { dataPoints: [{ attributes, count: '1', bucketCounts: expect.any(Array) }] },
  })
  expect(named('brine.reactor.waiting')).toBeUndefined()
  expect(named('brine.batches.running')).toMatchObject({ gauge: { dataPoints: [{ asDouble: 0 }] } })
})

it('passes the check of promtool, where that is installed', async (context) => {
  site = await ApiSite.open({ cherrypy: { stats_disable_auth: true } })
  const text = await (await read({})).text()
  const run = promisify(execFile)
  const isThere = await run('promtool', ['--version']).then(
    () => true,
    () => false,
  )
  if (!isThere) return context.skip()
  const checking = run('promtool', ['check', 'metrics'])
  checking.child.stdin!.end(text)
  // the names of Salt's own metrics are not all to its taste
  const complaints = await checking.then(
    ({ stderr }) => stderr,
    ({ stderr }: { stderr: string }) => stderr,
  )
  expect(complaints.split('\n').filter((line) => line !== '' && !/^salt_\w+ /.test(line))).toEqual([])
})
