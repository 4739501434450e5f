// `tracing`: requests to the API go on with the trace of their caller, jobs and events carry it, and spans reach a collector.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { brineVersion } from '../../src/base/mod.ts'
import { str } from '../../src/data/mod.ts'
import { OtlpCollector, type Span } from '../otlp.ts'
import { until } from '../until.ts'
import { ApiSite } from './event-site.ts'

let site: ApiSite
let collector: OtlpCollector
let endpoint: string

beforeEach(async () => {
  collector = await new OtlpCollector().open()
  endpoint = collector.endpoint('traces')
})

afterEach(async () => {
  await site.close()
  await collector.close()
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`

const spans = (): Span[] => collector.spans

const post = (path: string, headers: Record<string, string>, body: unknown): Promise<Response> =>
  fetch(site.url(path), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Accept the key of a minion that is not connected. */
function acceptMinion(id: string): void {
  const keys = str(site.opts.get('pki_dir')!)
  mkdirSync(join(keys, 'minions'), { recursive: true })
  copyFileSync(join(keys, 'master.pub'), join(keys, 'minions', id))
}

it('carries the trace of a caller to jobs and events, and sends spans to the collector', async () => {
  const headers = { Authorization: 'Bearer collector' }
  site = await ApiSite.open({ options: { tracing: { enabled: true, endpoint, headers } } })
  acceptMinion('web1')
  const seen = new Map<string, unknown>()
  site.master.parts.bus.listen(({ tag, data }) => seen.set(tag, data.get('traceparent')))
  const id = await site.login()
  const hook = await post('/hook/build', { 'X-Auth-Token': id, traceparent: TRACEPARENT }, { ok: true })
  const chunk = { client: 'local_async', tgt: 'web1', tgt_type: 'list', fun: 'test.ping' }
  await until('the master knows the minion', async () => {
    const answer = await post('/', { 'X-Auth-Token': id, traceparent: TRACEPARENT }, [chunk])
    return JSON.stringify(await answer.json()).includes('"jid"')
  })
  expect(hook.headers.get('traceparent')).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
  expect(seen.get('salt/netapi/hook/build')).toBe(hook.headers.get('traceparent'))
  const job = [...seen.keys()].find((tag) => /^salt\/job\/\d+\/new$/.test(tag))!
  expect(seen.get(job)).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
  await site.stopApi()
  await site.stopMaster()
  const ofTrace = spans().filter(({ traceId }) => traceId === TRACE)
  const webhook = ofTrace.find(({ name }) => name === 'salt.webhook.salt/netapi/hook/build')
  expect(webhook).toMatchObject({ parentSpanId: PARENT, kind: 2 })
  const lowstate = ofTrace.findLast(({ name }) => name === 'salt.api.exec_lowstate')!
  const publish = ofTrace.findLast(({ name }) => name === 'salt.req.send.publish')!
  expect(publish).toMatchObject({ parentSpanId: lowstate.spanId, kind: 3 })
  expect(seen.get(job)).toContain(publish.spanId)
  expect(BigInt(publish.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(publish.startTimeUnixNano))
  const [first] = collector.received
  expect(first!.headers).toMatchObject({ authorization: 'Bearer collector', 'content-type': 'application/x-protobuf' })
  expect(first!.document.resourceSpans[0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'salt-master' } },
    { key: 'service.version', value: { stringValue: brineVersion() } },
  ])
})

it('begins a trace where the header is missing or broken, and sends no span that is not sampled', async () => {
  site = await ApiSite.open({ options: { tracing: { enabled: true, endpoint } } })
  const traced = async (header: string): Promise<string> =>
    (await fetch(site.url('/'), { headers: { traceparent: header } })).headers.get('traceparent') ?? ''
  for (const broken of ['x', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`, `${TRACEPARENT}-x`]) {
    const answer = await traced(broken)
    expect(answer).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
    expect(answer).not.toContain(TRACE)
  }
  expect(await traced(`00-${TRACE}-${PARENT}-00`)).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  await site.stopApi()
  await site.stopMaster()
  expect(spans().length).toBe(4)
  expect(spans().filter(({ traceId }) => traceId === TRACE)).toEqual([])
})

it('answers while the collector does not', async () => {
  site = await ApiSite.open({ options: { tracing: { enabled: true, endpoint: 'http://127.0.0.1:1/v1/traces' } } })
  for (let n = 0; n < 20; n++) expect((await fetch(site.url('/'))).status).toBe(200)
})

it('does nothing unless it is switched on', async () => {
  site = await ApiSite.open()
  const seen: unknown[] = []
  site.master.parts.bus.listen(({ tag, data }) => tag === 'salt/netapi/hook/x' && seen.push(data.has('traceparent')))
  const answer = await post('/hook/x', { 'X-Auth-Token': await site.login(), traceparent: TRACEPARENT }, {})
  expect(answer.headers.has('traceparent')).toBe(false)
  expect(seen).toEqual([false])
})
