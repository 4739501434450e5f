// `/v1/events`: streams that resume, filters, rights, and pages of past events.
import { afterEach, expect, it } from 'vitest'
import { until } from '../until.ts'
import { ApiSite } from './event-site.ts'

let site: ApiSite
afterEach(() => site.close())

const openSite = (options: Record<string, unknown> = {}): Promise<ApiSite> => ApiSite.open({ options })

interface Page {
  items: Array<{ number: number; tag: string; data: Record<string, unknown>; origin: { kind: string }; stamp: string }>
  next: number | null
  previous: number | null
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
  // and back from the end
  const back: unknown[][] = []
  let before = ''
  for (;;) {
    const { items, previous } = await page(id, `&tag=test/*&limit=10${before}`)
    back.push(values(items))
    if (previous === null) break
    before = `&before=${previous}`
  }
  expect(back.reverse().flat()).toEqual(Array.from({ length: 25 }, (_, at) => at + 1))
  expect((await page(id, '&tag=test/*&origin=minion:*')).items).toEqual([])
  expect((await page(id, '&tag=test/*&origin=master*')).items).toHaveLength(25)
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

it('reports events to a stream that the journal no longer has', async () => {
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

it('writes valid JSON where the data has numbers that JSON lacks', async () => {
  site = await ApiSite.open()
  const stream = await site.stream('/v1/events', { 'X-Auth-Token': await site.login() })
  site.fire('test/nan', { n: Number.NaN, text: 'NaN and Infinity' })
  await until('the event comes', () => stream.records.some(({ data }) => data?.includes('test/nan')))
  expect(stream.tagged('test/nan')[0]!.data).toMatchObject({ n: null, text: 'NaN and Infinity' })
})
