// Metrics, traces and health of a real master and minion.
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { brineVersion } from '../../src/base/mod.ts'
import { saltCall } from '../../src/cli/call/main.ts'
import { salt } from '../../src/cli/salt/main.ts'
import { processStreams, type Streams } from '../../src/cli/streams.ts'
import { type Dict, type Plain, toPlain } from '../../src/data/mod.ts'
import { declaredMetric, METRICS, type MetricName, type MetricRole, promName } from '../../src/telemetry/mod.ts'
import { freePort } from '../free-port.ts'
import { OtlpCollector, type Span } from '../otlp.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
let master: TestMaster
let collector: OtlpCollector
const ports = { master: 0, minion: 0 }

/** Ends when the daemon has closed connections that do not end their requests. */
let slow: Promise<unknown>

function slowConnections(): Promise<unknown> {
  const ended = Array.from({ length: 40 }, (_, index) => {
    const socket = connect(ports.master, '127.0.0.1')
    if (index % 2 === 0) socket.write('GET /metrics HTTP/1.1\r\nHost:')
    socket.resume()
    return new Promise<void>((done) => socket.on('error', () => {}).on('close', () => done()))
  })
  return Promise.all(ended)
}

const URLS = {
  master: (path: string) => `http://127.0.0.1:${ports.master}${path}`,
  minion: (path: string) => `http://127.0.0.1:${ports.minion}${path}`,
}
const get = async (role: 'master' | 'minion', path: string): Promise<string> => (await fetch(URLS[role](path))).text()

/** Wait until a daemon shows a series. */
const shows = (role: 'master' | 'minion', line: RegExp): Promise<void> =>
  until(`the ${role} shows ${line}`, async () => line.test(await get(role, '/metrics')))

beforeAll(async () => {
  collector = await new OtlpCollector().open()
  site = await TestSite.open()
  ports.master = await freePort()
  ports.minion = await freePort()
  const telemetry = (port: number): Record<string, unknown> => ({
    metrics: { enabled: true, exporter: 'prometheus', minion_labels: true, prometheus: { host: '127.0.0.1', port } },
    tracing: { enabled: true, endpoint: collector.endpoint('traces') },
  })
  const files = join(site.root, 'srv')
  mkdirSync(files, { recursive: true })
  writeFileSync(
    join(files, 'good.sls'),
    'fine:\n  test.succeed_without_changes: []\nbad:\n  test.fail_without_changes: []\n',
  )
  writeFileSync(join(files, 'react.sls'), 'note:\n  runner.test.arg:\n    - args:\n      - 1\n')
  writeFileSync(join(files, 'broken.sls'), 'note: {{ nothing.at.all }}\n')
  master = await site.master('master', '127.0.0.1', {
    ...telemetry(ports.master),
    reactor: [{ 'demo/react': [join(files, 'react.sls')] }, { 'demo/broken': [join(files, 'broken.sls')] }],
  })
  await site.minion('web1', { ...telemetry(ports.minion), schedule: { nothing: { function: 'test.ping', hours: 9 } } })
  expect(await master.ask('web1', 'test.ping')).toBe(true)
  slow = slowConnections()
})
afterAll(async () => {
  await site.close()
  await collector.close()
})

describe('metrics', () => {
  test('of a master count jobs, minions, sign-ins, files, reactions and stores', async () => {
    await master.ask('web1', 'cp.cache_file', ['salt://good.sls'])
    master.opened.parts.bus.fire('demo/react', new Map())
    master.opened.parts.bus.fire('demo/broken', new Map())
    await shows('master', /^brine_reactor_failures_total [1-9]/m)
    const text = await get('master', '/metrics')
    for (const line of [
      /^salt_jobs_published_total\{fun="test.ping"\} [1-9]/m,
      /^salt_jobs_completed_total\{fun="test.ping",success="true"\} [1-9]/m,
      /^salt_job_duration_milliseconds_count\{fun="test.ping"\} [1-9]/m,
      /^salt_auth_attempts_total\{result="success"\} [1-9]/m,
      /^brine_sign_ins_total\{answer="accepted"\} [1-9]/m,
      /^brine_minions\{state="accepted"\} 1$/m,
      /^brine_publish_subscribers 1$/m,
      /^salt_master_requests_handled_total\{cmd="_serve_file"\} [1-9]/m,
      /^salt_master_requests_duration_milliseconds_count\{cmd="_pillar"\} [1-9]/m,
      /^brine_files_served_bytes_total [1-9]/m,
      /^brine_reactor_reactions_total 2$/m,
      /^brine_journal_size_bytes [1-9]/m,
      /^brine_jobs_store_size_bytes [1-9]/m,
      /^brine_minion_connected\{minion="web1"\} [01]$/m,
      new RegExp(`^brine_build_info\\{version="${brineVersion()}",`, 'm'),
    ])
      expect(text).toMatch(line)
  })

  test('of a minion count jobs, states and its masters', async () => {
    await master.ask('web1', 'state.apply', ['good'])
    await master.ask('web1', 'no.such_function')
    const text = await get('minion', '/metrics')
    for (const line of [
      /^salt_minion_exec_duration_milliseconds_count\{fun="state.apply"\} 1$/m,
      /^brine_minion_jobs_total\{success="true"\} [1-9]/m,
      /^brine_minion_jobs_total\{success="false"\} 2$/m,
      /^brine_minion_states_total\{result="true"\} 1$/m,
      /^brine_minion_states_total\{result="false"\} 1$/m,
      /^brine_minion_master_connected\{master="127.0.0.1"\} 1$/m,
      /^brine_minion_returns_waiting [01]$/m,
      /^brine_minion_scheduled [1-9]/m,
    ])
      expect(text).toMatch(line)
  })

  test('of a daemon are those that are declared for it', async () => {
    const shown = async (role: 'master' | 'minion'): Promise<Set<string>> =>
      new Set([...(await get(role, '/metrics')).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!))
    const names = (role: MetricRole): string[] =>
      (Object.keys(METRICS) as MetricName[]).filter((name) => declaredMetric(name).of.includes(role)).map(promName)
    // no returner, no beacon, no remote and no further process for pillar, and no cluster is configured here
    const absent = /^(salt_returners|brine_minion_beacon|brine_fileserver|brine_pillar|brine_cluster)_/
    for (const role of ['master', 'minion'] as const) {
      const found = await shown(role)
      expect([...found].filter((name) => !names(role).includes(name))).toEqual([])
      expect(names(role).filter((name) => !found.has(name) && !absent.test(name))).toEqual([])
    }
  })

  test('have no labels that minions or users choose at will', async () => {
    const hostile = 'x"} 1\nfaked{a="'
    const { bus } = master.opened.parts
    bus.fire('salt/job/20260101000000000002/new', new Map([['fun', `test.${hostile}`]]))
    bus.fire('salt/job/20260101000000000001/ret/web1', new Map([['fun', 'evil.function']]))
    for (let n = 0; n < 200; n++) {
      const origin = { kind: 'minion', name: 'web1', proof: 'key' } as never
      bus.fireFrom(origin, `${hostile}${n}/tag`, new Map())
      bus.fireFrom(origin, `foreign${n}/tag`, new Map())
    }
    await shows('master', /^salt_events_fired_total\{tag_prefix="other"\} [2-9]\d\d/m)
    const text = await get('master', '/metrics')
    expect(text).not.toContain('faked')
    expect(text).not.toContain('evil')
    expect(text).toMatch(/^salt_jobs_published_total\{fun="other"\} 1$/m)
    expect([...text.matchAll(/tag_prefix="foreign/g)].length).toBeLessThanOrEqual(50)
  })
})

describe('the listener', () => {
  test('answers three paths and no other method', async () => {
    expect((await fetch(URLS.master('/metrics'))).headers.get('content-type')).toContain('version=0.0.4')
    expect((await fetch(URLS.master('/nothing'))).status).toBe(404)
    expect((await fetch(URLS.master('/metrics'), { method: 'POST', body: 'x'.repeat(1 << 20) })).status).toBe(405)
    const long = { 'x-long': 'y'.repeat(20_000) }
    expect((await fetch(URLS.master('/metrics'), { headers: long })).status).toBe(431)
  })

  test('serves others while some connections send nothing or too slowly, and ends these', async () => {
    expect((await fetch(URLS.master('/metrics'))).status).toBe(200)
    await slow
  })
})

describe('health', () => {
  test('is good while master and minion work', async () => {
    await until('the minion is ready', async () => (await fetch(URLS.minion('/readyz'))).status === 200)
    for (const role of ['master', 'minion'] as const)
      for (const path of ['/healthz', '/readyz']) expect(JSON.parse(await get(role, path))).toEqual({ status: 'ok' })
  })

  test('of a master with a disk that fails is bad, and does not tell strangers where', async () => {
    const { storage } = master.opened.parts
    storage.failed(Object.assign(new Error('no space'), { code: 'ENOSPC' }), join(site.root, 'secret-place'))
    const response = await fetch(URLS.master('/readyz'))
    expect([response.status, await response.text()]).toEqual([503, '{"status":"failing","reasons":["storage"]}\n'])
    expect((await fetch(URLS.master('/healthz'))).status).toBe(200)
    expect(await get('master', '/metrics')).toMatch(/^brine_storage_failing 1$/m)
    await until('the disk is looked at again', async () => (await fetch(URLS.master('/readyz'))).status === 200)
  })
})

describe('runners', () => {
  const run = async (fun: string, kwargs: Record<string, never> | Record<string, boolean> = {}): Promise<Plain> =>
    toPlain((await master.run(fun, [], kwargs)).value)

  test('manage.stats sums the master up', async () => {
    expect(await run('manage.stats')).toMatchObject({
      version: expect.stringContaining(brineVersion()),
      minions: { accepted: 1, pending: 0 },
      jobs: { last_hour: expect.any(Number) },
      returns: { latency_p50_ms: expect.any(Number), latency_p95_ms: expect.any(Number) },
      stores: { jobs_bytes: expect.any(Number), storage_errors: 1 },
    })
  })

  test('manage.versions shows Brine on request', async () => {
    expect(await run('manage.versions')).toEqual({ 'Up to date': { web1: '3008.2' }, Master: '3008.2' })
    expect(await run('manage.versions', { brine: true })).toMatchObject({
      Master: '3008.2',
      Brine: { Master: brineVersion(), Minions: { web1: brineVersion() } },
    })
  })
})

describe('traces', () => {
  const traceparentOf = (data: Dict): string => String(data.get('traceparent') ?? '')
  const named = (spans: readonly Span[], name: string): Span => {
    const found = spans.find((span) => span.name === name)
    if (!found) throw new Error(`No span ${name}, but ${spans.map((span) => span.name).join(', ')}`)
    return found
  }

  const reacted = '4bf92f3577b34da6a3ce929d0e0e4736'

  test('follow a job from its request to its states and its return', async () => {
    master.opened.parts.bus.fire('demo/react', new Map([['traceparent', `00-${reacted}-00f067aa0ba902b7-01`]]))
    const jid = await master.publish('web1', 'state.apply', ['good'])
    const { data } = await master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))
    const [, traceId] = /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(traceparentOf(data)) ?? []
    const ofTrace = (): Span[] => collector.spans.filter((span) => span.traceId === traceId)
    await until('the spans are sent', () => ofTrace().some(({ name }) => name === 'salt.minion.exec.state.apply'))
    await until('the spans of the master are sent', () =>
      ofTrace().some(({ name }) => name === 'salt.req.recv._return'),
    )
    const spans = ofTrace()
    const publish = named(spans, 'salt.req.recv.publish')
    expect(publish.parentSpanId).toBeUndefined()
    expect(named(spans, 'salt.pub.send').parentSpanId).toBe(publish.spanId)
    const exec = named(spans, 'salt.minion.exec.state.apply')
    for (const name of ['salt.minion.recv.state.apply', 'salt.minion.exec.state.apply'])
      expect(named(spans, name).parentSpanId).toBe(publish.spanId)
    expect(named(spans, 'salt.state.test.fail_without_changes')).toMatchObject({
      parentSpanId: exec.spanId,
      status: { code: 2 },
    })
    const sent = named(spans, 'salt.req.send._return')
    expect(sent.parentSpanId).toBe(exec.spanId)
    expect(named(spans, 'salt.req.recv._return').parentSpanId).toBe(sent.spanId)
  })

  test('go on in reactions to events that carry them', async () => {
    const traceId = reacted
    await until('the span is sent', () => collector.spans.some((span) => span.traceId === traceId))
    const reaction = named(
      collector.spans.filter((span) => span.traceId === traceId),
      'salt.reactor.demo/react',
    )
    expect(reaction).toMatchObject({ parentSpanId: '00f067aa0ba902b7', kind: 5 })
  })

  test('begin with the programs, or with the variable TRACEPARENT', async () => {
    const silent: Streams = { ...processStreams, out: () => {}, err: () => {} }
    expect(await salt(['-c', master.config, 'web1', 'test.ping'], silent)).toBe(0)
    const spans = collector.spans
    const program = named(spans, 'salt.cli.test.ping')
    const sent = spans.find(
      ({ name, parentSpanId }) => name === 'salt.req.send.publish' && parentSpanId === program.spanId,
    )
    expect(sent?.traceId).toBe(program.traceId)
    process.env['TRACEPARENT'] = `00-${'ab'.repeat(16)}-00f067aa0ba902b7-01`
    try {
      const config = join(site.root, 'web1/etc')
      expect(await saltCall(['-c', config, '--local', 'test.ping'], silent)).toBe(0)
    } finally {
      delete process.env['TRACEPARENT']
    }
    expect(named(collector.spans, 'salt-call.test.ping')).toMatchObject({
      traceId: 'ab'.repeat(16),
      parentSpanId: '00f067aa0ba902b7',
    })
  })
})
