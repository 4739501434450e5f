// `/events`: Salt's stream of events, to the letter, and what happens to slow readers, over restarts and at the end of a session.
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../until.ts'
import { ApiSite, SseClient } from './event-site.ts'

let site: ApiSite
afterEach(() => site.close())

const numbered = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at)

/** The values of the events that a test fired. */
const values = (client: SseClient): unknown[] => client.tagged('test/').map(({ data }) => data['n'])

describe('/events', () => {
  it('streams events in the form of Salt', async () => {
    site = await ApiSite.open()
    const stream = await site.stream('/events', { 'X-Auth-Token': await site.login() })
    site.fire('sse/demo', { k: 1, name: 'Zoë', lines: 'a\nb' })
    await until('the event comes', () => stream.records.length > 0)
    expect(stream.response.statusCode).toBe(200)
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream;charset=utf-8',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
      'transfer-encoding': 'chunked',
    })
    expect(stream.text.replace(/"_stamp": "[^"]+"/, '"_stamp": "<STAMP>"')).toBe(
      'retry: 400\ntag: sse/demo\ndata: {"data": {"k": 1, "name": "Zoë", "lines": "a\\nb", "_stamp": "<STAMP>"}, "tag": "sse/demo"}\n\n',
    )
  })

  it('admits only sessions by header or cookie and tokens of Salt', async () => {
    site = await ApiSite.open()
    const id = await site.login()
    const status = async (path: string, headers: Record<string, string>): Promise<number | undefined> => {
      const client = await SseClient.open(site.url(path), headers)
      client.close()
      return client.response.statusCode
    }
    const made = await site.master.commands.answer(
      new Map([
        ['cmd', 'mk_token'],
        ['username', 'admin'],
        ['password', 'x'],
        ['eauth', 'auto'],
      ]),
    )
    const token = String((made as Map<string, unknown>).get('token'))
    expect(await status('/events', { 'X-Auth-Token': id })).toBe(200)
    expect(await status('/events', { Cookie: `session_id=${id}` })).toBe(200)
    expect(await status('/events', { 'X-Auth-Token': token })).toBe(200)
    expect(await status('/events', {})).toBe(401)
    expect(await status('/events', { 'X-Auth-Token': 'f'.repeat(40) })).toBe(401)
    expect(await status('/events', { 'X-Auth-Token': '../../etc/passwd' })).toBe(401)
    expect(await status(`/events?token=${id}`, {})).toBe(400)
    expect(await status('/events?x', { 'X-Auth-Token': id })).toBe(400)
    const refused = await fetch(site.url('/events?a=1'), { headers: { 'X-Auth-Token': id } })
    expect(await refused.text()).toContain('The /events endpoint takes no query parameters; in particular, tokens')
    expect((await fetch(site.url('/events'), { method: 'POST', headers: { 'X-Auth-Token': id } })).status).toBe(405)
    const head = await fetch(site.url('/events'), { method: 'HEAD', headers: { 'X-Auth-Token': id } })
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream;charset=utf-8'])
  })

  it('ends when the user logs out', async () => {
    site = await ApiSite.open()
    const id = await site.login()
    const stream = await site.stream('/events', { 'X-Auth-Token': id })
    const other = await site.stream('/events', { 'X-Auth-Token': await site.login() })
    await fetch(site.url('/logout'), { method: 'POST', headers: { 'X-Auth-Token': id } })
    let fired = 0
    await until('the stream ends', () => {
      site.fire('test/more', { n: fired++ })
      return stream.isOver
    })
    await until('the other stream goes on', () => values(other).length === fired)
  })

  it('shows no events from before the login to callers that resume', async () => {
    site = await ApiSite.open()
    const fired = Date.now()
    site.fire('test/before', { n: 1 })
    await until('time has passed', () => Date.now() > fired)
    const id = await site.login()
    const headers = { 'X-Auth-Token': id, 'Last-Event-ID': '0' }
    site.fire('test/after', { n: 2 })
    const stream = await site.stream('/events', headers)
    await until('the event comes', () => values(stream).length > 0)
    expect(values(stream)).toEqual([2])
    const admin = await site.stream('/v1/events?since=0', headers)
    await until('the events come', () => values(admin).length === 2)
  })

  it('shows only the events of own jobs with netapi_events: own', async () => {
    site = await ApiSite.open({ options: { netapi_events: 'own' } })
    const all = await site.stream('/events', { 'X-Auth-Token': await site.login('admin') })
    const own = await site.stream('/events', { 'X-Auth-Token': await site.login('ops') })
    site.fire('salt/job/20260101000000000001/new', { user: 'ops', n: 1 })
    site.fire('salt/job/20260101000000000002/new', { user: 'admin', n: 2 })
    site.fire('salt/job/20260101000000000002/ret/web1', { n: 3 })
    site.fire('salt/job/20260101000000000001/ret/web1', { n: 4 })
    site.fire('test/free', { n: 5 })
    site.fire('salt/run/20260101000000000003/new', { user: 'ops', n: 6 })
    await until('the events come', () => all.tagged('salt/run/').length > 0 && own.tagged('salt/run/').length > 0)
    const seen = (client: SseClient): unknown[] => client.events.map(({ data }) => data['n']).filter(Boolean)
    expect(seen(all)).toEqual([1, 2, 3, 4, 5, 6])
    expect(seen(own)).toEqual([1, 4, 6])
  })
})

describe('a reader that is behind', () => {
  it('gets every event once, in order, after it did not read for long', async () => {
    site = await ApiSite.open()
    const stream = await site.stream('/events', { 'X-Auth-Token': await site.login() })
    stream.pause()
    const text = 'x'.repeat(20_000)
    for (const n of numbered(1, 3000)) {
      site.fire('test/long', { n, text })
      if (n % 100 === 0) await new Promise(setImmediate)
    }
    stream.resume()
    await until('all events come', () => stream.text.includes('"n": 3000,'))
    expect(values(stream)).toEqual(numbered(1, 3000))
    expect(stream.text).not.toContain('missed')
  })

  it('gets the numbers of missed events if there is no journal', async () => {
    site = await ApiSite.open({ options: { event_journal: false } })
    const stream = await site.stream('/events', { 'X-Auth-Token': await site.login() })
    stream.pause()
    const text = 'x'.repeat(20_000)
    for (const n of numbered(1, 3000)) {
      site.fire('test/long', { n, text })
      if (n % 100 === 0) await new Promise(setImmediate)
    }
    stream.resume()
    await until('the last event comes', () => stream.text.includes('"n": 3000,'))
    const got = values(stream) as number[]
    expect(got).toEqual([...got].sort((one, other) => one - other))
    const [, first = '', last = ''] = /^: missed the events (\d+) to (\d+)$/m.exec(stream.text) ?? []
    expect(Number(last) - Number(first) + 1).toBe(3000 - got.length)
  })
})

describe('many readers', () => {
  it('see all events in order', async () => {
    site = await ApiSite.open()
    const id = await site.login()
    const streams: SseClient[] = []
    for (let at = 0; at < 300; at++) streams.push(await site.stream('/events', { 'X-Auth-Token': id }))
    for (const n of numbered(1, 2000)) {
      site.fire('test/many', { n })
      if (n % 50 === 0) await new Promise(setImmediate)
    }
    await until('all readers have the last event', () => streams.every(({ text }) => text.includes('"n": 2000,')))
    for (const stream of streams) expect(values(stream)).toEqual(numbered(1, 2000))
  })
})

describe.each([
  ['inside the master', false],
  ['beside the master', true],
])('an API %s', (_, beside) => {
  it('resumes after it was restarted', async () => {
    site = await ApiSite.open({ beside })
    const id = await site.login()
    const headers = { 'X-Auth-Token': id, 'Last-Event-ID': '0' }
    const before = await site.stream('/events', headers)
    site.fire('test/before', { n: 1 })
    await until('the event comes', () => values(before).length === 1)
    const last = before.records.findLast(({ tag }) => tag === 'test/before')!.id!
    await site.stopApi()
    site.fire('test/between', { n: 2 })
    site.fire('test/between', { n: 3 })
    await site.startApi()
    const after = await site.stream('/events', { ...headers, 'Last-Event-ID': last })
    site.fire('test/after', { n: 4 })
    await until('all events come', () => values(after).length === 3)
    expect(values(after)).toEqual([2, 3, 4])
  })
})

describe('an API beside the master', () => {
  it('goes on when the master is restarted', async () => {
    site = await ApiSite.open({ beside: true })
    const stream = await site.stream('/events', { 'X-Auth-Token': await site.login() })
    site.fire('test/one', { n: 1 })
    await until('the event comes', () => values(stream).length === 1)
    await site.stopMaster()
    await site.startMaster()
    site.fire('test/two', { n: 2 })
    await until('the next event comes', () => values(stream).length === 2)
    expect(values(stream)).toEqual([1, 2])
    expect(stream.isOver).toBe(false)
  })
})
