// Web sockets with events: `/ws` of rest_cherrypy and the paths of rest_tornado.
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { ApiSite } from './event-site.ts'

let site: ApiSite
afterEach(() => site.close())

interface Client {
  ws: WebSocket
  frames: string[]
  isOver: boolean
}

/** Open a web socket. */
function open(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const ws = new WebSocket(url, { headers })
  const client: Client = { ws, frames: [], isOver: false }
  site.atEnd(() => ws.terminate())
  ws.on('message', (data) => client.frames.push(data.toString()))
  ws.on('close', () => {
    client.isOver = true
  })
  return new Promise((done, fail) => {
    ws.once('open', () => done(client))
    ws.once('error', fail)
  })
}

const ws = (path: string, port = site.port): string => `ws://127.0.0.1:${port}${path}`

const READY = 'websocket client ready'

async function ready(client: Client): Promise<void> {
  const answered = client.frames.length
  client.ws.send(READY)
  await until('the server answers', () => client.frames.length > answered)
}

const withoutStamp = (frames: string[]): string[] =>
  frames.map((frame) => frame.replace(/"_stamp": "[^"]+"/, '"_stamp": "<STAMP>"'))

/** Messages of a digest that have a key. */
const digests = ({ frames }: Client, key: string): Array<Record<string, never>> =>
  frames.filter((frame) => frame.startsWith(`{"${key}"`)).map((frame) => JSON.parse(frame)[key])

describe('/ws', () => {
  it('sends frames of events after the client is ready', async () => {
    site = await ApiSite.open()
    const id = await site.login()
    const [byHeader, byPath] = [await open(ws('/ws'), { 'X-Auth-Token': id }), await open(ws(`/ws/${id}`))]
    site.fire('test/early', { n: 0 })
    byHeader.ws.send('hello')
    await until('the server answers', () => byHeader.frames.length === 1)
    for (const client of [byHeader, byPath]) await ready(client)
    site.fire('test/one', { n: 1 })
    const frame = 'data: {"data": {"n": 1, "_stamp": "<STAMP>"}, "tag": "test/one"}\n\n'
    await until('the event comes', () => [byHeader, byPath].every(({ frames }) => frames.at(-1)?.startsWith('data: ')))
    expect(withoutStamp(byPath.frames)).toEqual(['server received message', frame])
    expect(withoutStamp(byHeader.frames)).toEqual(['server received message', 'server received message', frame])
  })

  it('refuses sockets without a session, of pages of other sites, and other paths', async () => {
    site = await ApiSite.open()
    const id = await site.login()
    const cookie = { Cookie: `session_id=${id}` }
    const refused = async (path: string, headers: Record<string, string>): Promise<string> =>
      open(ws(path), headers).then(
        () => 'opened',
        (error: Error) => error.message,
      )
    expect(await refused('/ws', {})).toBe('Unexpected server response: 401')
    expect(await refused('/ws/abcdef', {})).toBe('Unexpected server response: 401')
    expect(await refused('/ws/../../x', {})).toBe('Unexpected server response: 404')
    expect(await refused(`/all_events/${id}`, {})).toBe('Unexpected server response: 404')
    expect(await refused('/ws', { ...cookie, Origin: 'https://evil.example' })).toBe('Unexpected server response: 403')
    expect(await refused('/ws', { ...cookie, Origin: 'null' })).toBe('Unexpected server response: 403')
    expect(await refused('/ws', { ...cookie, Origin: `http://127.0.0.1:${site.port}` })).toBe('opened')
    expect(await refused(`/ws/${id}`, { Origin: 'https://other.example' })).toBe('opened')
  })

  it('answers plain requests as if there were no such path, and requests that offer HTTP/2 as HTTP/1.1', async () => {
    site = await ApiSite.open()
    const plain = await fetch(site.url('/ws'), { headers: { 'X-Auth-Token': await site.login() } })
    expect([plain.status, await plain.text()]).toEqual([
      404,
      expect.stringContaining('The path &#x27;/ws&#x27; was not'),
    ])
    const socket = connect(site.port, '127.0.0.1')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString()
    })
    const body = '{"username": "admin", "password": "x", "eauth": "auto"}'
    socket.write(
      `POST /login HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await until('the answer comes', () => answer.includes('"perms"'))
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/)
    socket.destroy()
  })

  it('closes sockets that send too much, and those of sessions that ended', async () => {
    site = await ApiSite.open()
    const id = await site.login()
    const [large, ended] = [await open(ws(`/ws/${id}`)), await open(ws(`/ws/${id}`))]
    large.ws.send('x'.repeat(70_000))
    await until('the socket is closed', () => large.isOver)
    await ready(ended)
    await fetch(site.url('/logout'), { method: 'POST', headers: { 'X-Auth-Token': id } })
    await until('the socket is closed', () => {
      site.fire('test/more')
      return ended.isOver
    })
  })

  it('digests events with format_events', async () => {
    site = await ApiSite.open()
    const client = await open(ws('/ws?format_events'), { 'X-Auth-Token': await site.login() })
    await ready(client)
    const jid = '20260101000000000001'
    const job = { jid, fun: 'test.ping', tgt: '*', tgt_type: 'glob', minions: ['web1', 'web2'] }
    site.fire(`salt/job/${jid}/new`, job)
    for (const id of ['web1', 'web2'])
      site.fire(`salt/job/${jid}/ret/${id}`, { id, fun: 'test.ping', return: true, retcode: 0, success: true })
    await until('the job is complete', () => digests(client, 'jobs').length === 3)
    const done = { return: true, retcode: 0, success: true }
    const known = { jid, start_time: expect.any(String), fun: 'test.ping', tgt: '*', tgt_type: 'glob' }
    expect(digests(client, 'jobs').map((jobs) => jobs[jid])).toEqual([
      { ...known, minions: { web1: { success: false }, web2: { success: false } }, state: 'running' },
      { ...known, minions: { web1: done, web2: { success: false } }, state: 'running' },
      { ...known, minions: { web1: done, web2: done }, state: 'complete' },
    ])
    site.fire('salt/key', { act: 'accept', id: 'web1', result: true })
    const grains = { fun: 'grains.items', return: new Map([['os', 'Debian']]), retcode: 0, success: true }
    site.fire('salt/job/20260101000000000002/ret/web1', grains)
    site.fire('salt/key', { act: 'delete', id: 'web1', result: true })
    await until('the minions come', () => digests(client, 'minions').length === 3)
    expect(digests(client, 'minions')).toEqual([[{ id: 'web1' }], [{ grains: { os: 'Debian' }, id: 'web1' }], []])
  })
})

describe('rest_tornado', () => {
  it('has sockets with events where they are switched on', async () => {
    const port = await freePort()
    const tornado = { port, address: '127.0.0.1', disable_ssl: true, websockets: true }
    site = await ApiSite.open({ options: { rest_tornado: tornado } })
    const id = await site.login()
    const [all, formatted] = [
      await open(ws(`/all_events/${id}`, port)),
      await open(ws(`/formatted_events/${id}`, port)),
    ]
    for (const { ws: socket } of [all, formatted]) socket.send(READY)
    await until('events come', () => {
      site.fire('salt/key', { act: 'accept', id: 'web1' })
      return all.frames.some((frame) => frame.includes('salt/key')) && digests(formatted, 'minions').length > 0
    })
    expect(withoutStamp(all.frames)).toContain(
      '{"data": {"act": "accept", "id": "web1", "_stamp": "<STAMP>"}, "tag": "salt/key"}',
    )
    expect(digests(formatted, 'minions')[0]).toEqual([{ id: 'web1' }])
    await expect(open(ws('/all_events/abc', port))).rejects.toThrow('401')
  })
})
