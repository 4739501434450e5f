// Attacks on the REST API: by strangers, by users with few rights, and by pages that a user's browser shows.
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiLimits } from '../../src/api/limits.ts'
import { ApiServer } from '../../src/api/server.ts'
import { readSettings } from '../../src/api/settings.ts'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, fromPlain } from '../../src/data/mod.ts'
import { ApiSessions } from '../../src/store/mod.ts'
import { ApiSite, USERS } from '../api/api-site.ts'
import { until } from '../until.ts'
import { Besieged } from './besieged.ts'

let api: ApiSite
let admin: string
let ops: string

beforeAll(async () => {
  api = await ApiSite.open(['web1', 'db1'], {
    external_auth: { auto: USERS, sharedsecret: { admin: ['.*', '@runner'] } },
    sharedsecret: 'right',
    api_login_failures: 5,
    rest_cherrypy: { webhook_disable_auth: true },
  })
  admin = await api.logIn('admin')
  ops = await api.logIn('ops')
})
afterAll(() => api.close())

const PING = { client: 'local', tgt: 'web1', fun: 'test.ping' }

/** Post a text of a media type. */
const post = (path: string, type: string, text: string) =>
  api.ask(path, { method: 'POST', headers: { 'Content-Type': type }, body: new TextEncoder().encode(text) })

/** A document whose aliases stand for ten times as much on each level. */
function bomb(levels: number): string {
  const more = Array.from({ length: levels }, (_, at) => `, l${at + 1}: &l${at + 1} [${`*l${at} ,`.repeat(10)}]`)
  return `{l0: &l0 [lol, lol]${more.join('')}}`
}

describe('A stranger', () => {
  test('makes no large event of a short body', async () => {
    const before = api.master.seen.length
    expect((await post('/hook/bomb', 'application/x-yaml', bomb(6))).status).toBe(400)
    const form = new URLSearchParams({ arg: bomb(6) }).toString()
    expect((await post('/hook/bomb', 'application/x-www-form-urlencoded', form)).status).toBe(400)
    expect((await post('/hook/bomb', 'application/x-yaml', 'a: &a [*a]')).status).toBe(400)
    expect((await post('/hook/bomb', 'application/json', '['.repeat(500) + ']'.repeat(500))).status).toBe(400)
    expect(api.master.seen.slice(before).filter(({ tag }) => tag.includes('hook'))).toEqual([])
    expect((await post('/hook/few', 'application/x-yaml', bomb(2))).status).toBe(200)
  })

  test('cannot hold up others by paths of thousands of parts', async () => {
    // each took a third of a second of the CPU
    for (let at = 0; at < 300; at++) expect((await api.ask('/a'.repeat(7900))).status).toBe(404)
    expect((await api.run(admin, PING)).status).toBe(200)
  })

  test('has no long YAML read, which takes time, and sends long JSON', async () => {
    const long = `[${'{},'.repeat(100_000)}1]`
    expect((await post('/login', 'application/x-yaml', long)).status).toBe(413)
    expect((await post('/hook/long', 'application/x-yaml', long)).status).toBe(413)
    const form = new URLSearchParams({ arg: long }).toString()
    expect((await post('/hook/long', 'application/x-www-form-urlencoded', form)).status).toBe(413)
    expect((await post('/hook/long', 'application/json', long)).status).toBe(200)
  })

  test('holds a bounded amount of memory by bodies that do not end', async () => {
    const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n'
    const part = Buffer.alloc(1_000_000, 32)
    let refused = 0
    const sockets: Socket[] = Array.from({ length: 100 }, () => {
      const socket = connect(api.port, '127.0.0.1')
      socket.on('error', () => socket.destroy())
      socket.on('data', (chunk) => {
        if (chunk.includes('429')) refused++
      })
      socket.write(head)
      socket.write(part)
      return socket
    })
    await until('bodies are refused', () => refused >= 30)
    expect((await api.run(admin, PING)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await until('there is room again', async () => (await api.ask('/login', { body: {} })).status !== 429)
  })

  test('is counted by the network of an IPv6 address', () => {
    const limits = new ApiLimits(new Map<string, number>([['api_login_failures', 1]]) as Dict)
    limits.loginFailed('2001:db8::1')
    expect(() => limits.beforeLogin('2001:db8::2')).toThrow('Too many requests')
    limits.beforeLogin('2001:db8:0:1::2')
  })

  test('that opens many connections does not keep others out', async () => {
    const [settings] = readSettings(new Map([['rest_cherrypy', fromPlain({ port: 0, disable_ssl: true })]]), silentLog)
    const counts = { connections: 0, requests: 0, running: 0, bytesRead: 0, bytesWritten: 0 }
    const app = new Hono().get('/', (c) => c.text('here'))
    const server = new ApiServer({ settings: settings!, counts, log: silentLog, app, mostConnections: 16 })
    await server.listen()
    const open = (localAddress: string): Socket => {
      const socket = connect({ port: server.port, host: '127.0.0.1', localAddress })
      return socket.on('error', () => socket.destroy())
    }
    const many = Array.from({ length: 20 }, () => open('127.0.0.2'))
    await until('the connections are there', () => counts.connections >= 20)
    const other = open('127.0.0.3')
    other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const heard = await new Promise((done) => other.once('data', (chunk) => done(chunk.toString())).once('close', done))
    expect(heard).toContain('here')
    for (const socket of [...many, other]) socket.destroy()
    await server.close()
  })

  test('chooses no address by the Host header', async () => {
    const other = await ApiSite.open([], { rest_cherrypy: { root_prefix: '/salt' } })
    try {
      const heard = await new Promise<string>((done) => {
        const socket = connect(other.port, '127.0.0.1')
        socket.once('data', (chunk) => {
          socket.destroy()
          done(chunk.toString())
        })
        socket.write('GET /salt HTTP/1.1\r\nHost: evil.example\r\n\r\n')
      })
      expect(heard).toMatch(/^HTTP\/1.1 301 [\s\S]*\r\nlocation: \/salt\/\r\n/i)
    } finally {
      await other.close()
    }
  })

  test.each(['/run', '/token', '/login'])('cannot try passwords without end on %s', async (path) => {
    const site = await ApiSite.open([], {
      external_auth: { sharedsecret: { admin: ['.*', '@runner'] } },
      sharedsecret: 'right',
      api_login_failures: 5,
    })
    try {
      const attempt = (password: string) =>
        site.ask(path, { body: { ...PING, username: 'admin', eauth: 'sharedsecret', password } })
      const statuses: number[] = []
      for (let at = 0; at < 8; at++) statuses.push((await attempt(`wrong${at}`)).status)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
      expect((await attempt('right')).status).toBe(429)
    } finally {
      await site.close()
    }
  })
})

describe('The requests of a caller', () => {
  test('are counted under /v1 as well', async () => {
    const site = await ApiSite.open([], { api_request_rate: 2 })
    try {
      const answers = await Promise.all(Array.from({ length: 8 }, () => site.ask('/v1/session')))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(refused[0]!.headers.get('retry-after')).toBe('1')
      expect(refused[0]!.json).toMatchObject({ status: 429 })
    } finally {
      await site.close()
    }
  })

  test('leave no token in the log of accesses', async () => {
    const log = join(api.site.root, 'access.log')
    const site = await ApiSite.open([], { rest_cherrypy: { log_access_file: log } })
    const token = await site.logIn('admin')
    const headers = { Referer: `http://x/ws/${token}` }
    for (const path of [`/ws/${token}`, `/login?token=${token}`]) await site.ask(path, { headers })
    await site.close()
    const text = readFileSync(log, 'utf8')
    expect(text).toContain('GET /ws/')
    expect(text).not.toContain(token)
  })

  test('with an Idempotency-Key leave a bounded number of answers', () => {
    let now = 1000
    const sessions = new ApiSessions(join(api.site.root, 'answers.db'), () => now++)
    const answer = { status: 200, type: 'text/plain', body: 'x'.repeat(4 << 20) }
    const put = (owner: string, name: string): void => {
      expect(sessions.claim(owner, name, 'r')).toBe('new')
      sessions.keep(owner, name, answer)
    }
    put('bob', 'first')
    for (let at = 0; at < 17; at++) put('eve', `key${at}`)
    expect(sessions.claim('eve', 'key0', 'r')).toBe('new')
    expect(sessions.claim('eve', 'key16', 'r')).toMatchObject({ status: 200 })
    expect(sessions.claim('bob', 'first', 'r')).toMatchObject({ status: 200 })
    sessions.close()
  })
})

describe('A page of another origin', () => {
  const neighbour = { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' }

  test.each(['/minions', '/jobs', '/stats', '/events', '/v1/session', '/v1/jobs', '/v1/events?format=json'])(
    'reads nothing of %s with the cookie of the user',
    async (path) => {
      const sent = { Cookie: `session_id=${admin}` }
      expect((await api.ask(path, { headers: { ...sent, ...neighbour } })).status).toBe(403)
      const plain = { Origin: 'http://evil.example' }
      expect((await api.ask(path, { headers: { ...sent, ...plain } })).status).toBe(403)
    },
  )

  test('may use the token, and the user may follow a link', async () => {
    expect((await api.ask('/v1/session', { headers: neighbour, token: admin })).status).toBe(200)
    const link = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', Cookie: `session_id=${admin}` }
    // fetch has a separate mode
    const followed = await new Promise((done) => get(`${api.url}/v1/session`, { headers: link }, done as never))
    expect(followed).toMatchObject({ statusCode: 200 })
  })

  test.each(['/login', '/v1/login'])('puts no browser into a session by %s', async (path) => {
    const body = { username: 'admin', password: 'x', eauth: 'auto' }
    const foreign = await api.ask(path, { headers: { Origin: 'http://evil.example' }, body })
    expect([foreign.status, foreign.headers.get('set-cookie')]).toEqual([200, null])
    const own = await api.ask(path, { headers: { Origin: api.url }, body })
    expect(own.headers.get('set-cookie')).toContain('session_id=')
  })
})

describe('The commands of the API at the request port', () => {
  test('fire no event and reveal nothing for a stranger', async () => {
    const site = await Besieged.start({ external_auth: { auto: { ops: ['test.*'] } } })
    try {
      const [tag, origin] = ['salt/netapi/hook/x', ['master', 'master', 'local']]
      const few = { eauth: 'auto', username: 'ops', password: 'x' }
      for (const proof of [{}, { user: 'root', key: 'x' }, few])
        expect(await site.clear({ cmd: 'fire_for', tag, data: new Map(), origin, ...proof })).toBe(false)
      for (const proof of [{}, { token: 'aa' }, { user: 'root', key: 'x' }, few]) {
        const judged = (await site.clear({ cmd: 'judge', family: 'wheel', fun: 'key.list_all', ...proof })) as Dict
        expect([...judged.keys()]).toEqual(['error'])
      }
      expect(site.events.filter((event) => event.tag === tag)).toEqual([])
    } finally {
      await site.stop()
    }
  })
})

describe('A user with few rights', () => {
  test('reads nothing of others under /v1', async () => {
    const { json } = await api.ask('/v1/jobs', { token: admin, body: { target: '*', function: 'test.ping' } })
    const { jid } = json
    const paths = `/v1/minions /v1/minions/web1 /v1/minions/web1/pillar?path=a /v1/jobs/${jid} /v1/jobs/${jid}/returns
      /v1/jobs/${jid}/returns/web1 /v1/keys /v1/keys/web1 /v1/runs /v1/reactions /v1/traces/${jid} /v1/status`
    for (const path of paths.split(/\s+/))
      expect([path, (await api.ask(path, { token: ops })).status]).toEqual([path, 403])
    expect((await api.ask('/v1/jobs', { token: ops })).json).toEqual({ items: [], next: null })
    const events = await api.ask('/v1/events?format=json&limit=1000', { token: ops })
    expect(events.json.items).toEqual([])
    const acts: Array<[string, unknown]> = [
      [`/v1/jobs/${jid}/stop`, {}],
      ['/v1/jobs', { target: '*', function: 'cmd.run', args: ['id'] }],
      ['/v1/jobs', { target: '*', function: 'test.ping', returner: 'local' }],
      ['/v1/jobs', { target: '*', function: 'test.ping', metadata: { a: 1 } }],
      ['/v1/calls', { client: 'runner', function: 'jobs.list_jobs' }],
      ['/v1/calls', { client: 'wheel', function: 'key.delete', kwargs: { match: '*' } }],
      ['/v1/keys/web1', { action: 'delete' }],
    ]
    for (const [path, body] of acts)
      expect([path, body, (await api.ask(path, { token: ops, body })).status]).toEqual([path, body, 403])
  })

  test('gets no right by further fields of a chunk', async () => {
    const more = { user: 'root', key: 'x', username: 'admin', password: 'x', eauth: 'auto', token: admin, cmd: 'wheel' }
    for (const chunk of [
      { client: 'local', tgt: '*', fun: 'cmd.run', arg: ['id'] },
      { client: 'local_async', tgt: '*', fun: ['test.ping', 'cmd.run'], arg: [[], ['id']] },
      { client: 'runner', fun: 'jobs.list_jobs' },
      { client: 'wheel', fun: 'key.list_all' },
    ])
      expect([chunk, (await api.run(ops, { ...chunk, ...more })).status]).toEqual([chunk, 401])
  })
})
