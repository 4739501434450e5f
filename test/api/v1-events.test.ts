// `/v1/events`: streams that resume, filters, rights, and pages of past events.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { OpenAPIHono } from '@hono/zod-openapi'
import { afterEach, expect, it } from 'vitest'
import { Audit } from '../../src/api/audit.ts'
import { HttpError } from '../../src/api/errors.ts'
import { EventHub } from '../../src/api/events/hub.ts'
import { addEventRoutes } from '../../src/api/events/routes.ts'
import { JobWatch } from '../../src/api/job-watch.ts'
import { ApiLimits } from '../../src/api/limits.ts'
import { ownMaster } from '../../src/api/own-master.ts'
import type { ApiService } from '../../src/api/service.ts'
import { readSettings } from '../../src/api/settings.ts'
import { silentLog } from '../../src/base/mod.ts'
import { str } from '../../src/data/mod.ts'
import { ApiSessions } from '../../src/store/mod.ts'
import { until } from '../until.ts'
import { ApiSite } from './event-site.ts'

let site: ApiSite
afterEach(() => site.close())

/** A site whose paths below `/v1` an application with nothing but these routes answers. */
async function openSite(options: Record<string, unknown> = {}): Promise<ApiSite> {
  const opened = await ApiSite.open({ options })
  const master = ownMaster(opened.master)
  const sessions = new ApiSessions(join(str(opened.opts.get('cachedir')!), 'api.db'))
  const watch = new JobWatch(master.events, master.access.stores.jobs)
  const counts = { connections: 0, requests: 0, running: 0, bytesRead: 0, bytesWritten: 0 }
  const settings = readSettings(opened.opts, silentLog)[0]!
  const shared = { limits: new ApiLimits(opened.opts), audit: new Audit(master, silentLog) }
  const service: ApiService = { settings, master, sessions, watch, log: silentLog, counts, began: 0, ...shared }
  const hub = new EventHub(master, silentLog)
  const app = new OpenAPIHono()
  app.onError((error) => new Response(error.message, { status: error instanceof HttpError ? error.status : 500 }))
  addEventRoutes(app, service, hub)
  const server: Server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const plain = opened.url.bind(opened)
  opened.url = (path) => (path.startsWith('/v1') ? `http://127.0.0.1:${port}${path}` : plain(path))
  opened.atEnd(() => {
    hub.close()
    watch.close()
    sessions.close()
    server.closeAllConnections()
    server.close()
  })
  return opened
}

interface Page {
  items: Array<{ number: number; tag: string; data: Record<string, unknown>; origin: { kind: string }; stamp: string }>
  next: number | null
  last: number
}

async function page(id: string, query: string): Promise<Page> {
  const response = await fetch(site.url(`/v1/events?format=json${query}`), { headers: { 'X-Auth-Token': id } })
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as Page
}

const values = (items: Array<{ data: Record<string, unknown> }>): unknown[] => items.map(({ data }) => data['n'])

it('streams events with numbers and resumes by Last-Event-ID and since', async () => {
  site = await openSite()
  const id = await site.login()
  const stream = await site.stream('/v1/events?tag=test/*', { Authorization: `Bearer ${id}` })
  for (let n = 1; n <= 3; n++) site.fire(`test/${n}`, { n })
  site.fire('other', { n: 4 })
  await until('the events come', () => stream.events.length === 3)
  const [first, second] = stream.events
  expect(first).toMatchObject({ tag: 'test/1', data: { n: 1 }, origin: { kind: 'master', proof: 'process' } })
  const ids = stream.records.flatMap((record) => (record.data === undefined ? [] : [record.id]))
  expect(ids).toEqual(stream.events.map(({ number }) => String(number)))
  for (const [path, headers] of [
    ['/v1/events?tag=test/*&tag=other', { 'Last-Event-ID': String(second!.number) }],
    [`/v1/events?tag=test/*&tag=other&since=${second!.number}`, {}],
  ] as const) {
    const resumed = await site.stream(path, { 'X-Auth-Token': id, ...headers })
    await until('the events come again', () => resumed.events.length === 2)
    expect(values(resumed.events)).toEqual([3, 4])
  }
})

it('gives past events page by page', async () => {
  site = await openSite()
  const id = await site.login()
  for (let n = 1; n <= 25; n++) site.fire('test/past', { n })
  await until('the journal has them', async () => (await page(id, '&tag=test/*&since=0&limit=100')).items.length === 25)
  const first = await page(id, '&tag=test/*&since=0&limit=10')
  expect(values(first.items)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  const last = await page(id, `&tag=test/*&since=${(await page(id, `&tag=test/*&since=${first.next}&limit=10`)).next}`)
  expect([values(last.items), last.next]).toEqual([[21, 22, 23, 24, 25], null])
  expect(values((await page(id, '&tag=test/*&limit=2')).items)).toEqual([24, 25])
})

it('shows users without the right to state.event the events of their own jobs', async () => {
  site = await openSite()
  const [all, own] = [await site.login('admin'), await site.login('ops')]
  const stream = await site.stream('/v1/events', { 'X-Auth-Token': own })
  site.fire('salt/job/20260101000000000001/new', { user: 'ops', n: 1 })
  site.fire('salt/job/20260101000000000002/new', { user: 'admin', n: 2 })
  site.fire('test/free', { n: 3 })
  site.fire('salt/job/20260101000000000001/ret/web1', { n: 4 })
  await until('the own events come', () => stream.events.length === 2)
  expect(values(stream.events)).toEqual([1, 4])
  await until('the journal has them', async () => values((await page(all, '')).items).includes(4))
  expect(values((await page(own, '&since=0')).items)).toEqual([1, 4])
  expect(values((await page(all, '&since=0')).items)).toEqual(expect.arrayContaining([1, 2, 3, 4]))
})

it('tells a stream what the journal no longer has', async () => {
  site = await openSite({ event_journal: false })
  const id = await site.login()
  for (let n = 1; n <= 5; n++) site.fire('test/lost', { n })
  const stream = await site.stream('/v1/events?since=2', { 'X-Auth-Token': id })
  site.fire('test/live', { n: 6 })
  await until('the event comes', () => stream.events.length > 0)
  const missed = stream.records.find(({ event }) => event === 'missed')
  expect(JSON.parse(missed!.data!)).toMatchObject({ first: 3 })
  expect(values(stream.events)).toEqual([6])
  expect((await fetch(site.url('/v1/events?format=json'), { headers: { 'X-Auth-Token': id } })).status).toBe(409)
})

it('refuses callers without a session and wrong parameters', async () => {
  site = await openSite()
  const id = await site.login()
  const status = async (query: string, token = id): Promise<number> =>
    (await fetch(site.url(`/v1/events${query}`), { headers: { 'X-Auth-Token': token } })).status
  expect(await status('', 'abc')).toBe(401)
  expect(await status('?since=-1')).toBe(400)
  expect(await status('?format=xml')).toBe(400)
  expect(await status('?format=json&limit=100000')).toBe(400)
  expect(await status(`?tag=${'*a'.repeat(9)}`)).toBe(400)
})
