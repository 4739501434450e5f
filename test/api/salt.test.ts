// Salt's API on a master and minions of Brine. The recorded scenarios `rest-*` compare it with Salt step by step; these
// tests cover the rest: sessions that outlive the API, attacks by callers, limits, and events about requests.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BusEvent } from '../../src/bus/mod.ts'
import { type Dict, isDict, toPlain, type Value } from '../../src/data/mod.ts'
import { callingContext, runMasterFunction } from '../../src/runner/mod.ts'
import { decodeEvent, EventFrames } from '../../src/wire/mod.ts'
import { load } from '../../src/yaml/mod.ts'
import { ApiSite } from './api-site.ts'

let api: ApiSite
let admin: string

beforeAll(async () => {
  api = await ApiSite.open(['web1', 'db1'])
  admin = await api.logIn('admin')
})
afterAll(() => api.close())

const OWN_CALL = { jid: '20260101000000000000', user: 'root', tag: 'salt/run/20260101000000000000' }

const PING = { client: 'local', tgt: '*', fun: 'test.ping' }

describe('Sessions', () => {
  test('outlive the API', async () => {
    await api.stopServing()
    await api.serve()
    expect((await api.run(admin, PING)).json).toEqual({ return: [{ web1: true, db1: true }] })
  })

  test('are known by their hash alone', async () => {
    const token = await api.logIn('ops')
    const files = ['api.db', 'api.db-wal'].map((name) => join(api.site.root, 'master/var/cache/salt/master', name))
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)))
    expect(bytes.includes(token)).toBe(false)
  })

  test('end with the logout, and with them the token behind them', async () => {
    const token = await api.logIn('ops')
    const { headers, json } = await api.ask('/logout', { token, method: 'POST' })
    expect(json).toEqual({ return: 'Your token has been cleared' })
    expect(headers.get('set-cookie')).not.toContain(token)
    expect((await api.run(token, PING)).status).toBe(401)
  })

  test('come by a cookie that pages and other sites cannot use', async () => {
    const { headers } = await api.ask('/login', { body: { username: 'admin', password: 'x', eauth: 'auto' } })
    const cookie = headers.get('set-cookie')!
    expect(cookie).toMatch(/^session_id=[0-9a-f]{40}; expires=.*; Max-Age=36000; Path=\/; HttpOnly; SameSite=Strict$/)
    const sent = { Cookie: cookie.split(';')[0]! }
    const same = await api.ask('/', { headers: { ...sent, Origin: api.url }, body: [PING] })
    expect(same.status).toBe(200)
    const foreign = await api.ask('/', { headers: { ...sent, Origin: 'https://evil.example' }, body: [PING] })
    expect(foreign.status).toBe(403)
    const read = await api.ask('/minions', { headers: { ...sent, Origin: 'http://other.example' } })
    expect(read.status).toBe(403)
    const hinted = await api.ask('/', { headers: { ...sent, 'Sec-Fetch-Site': 'cross-site' }, body: [PING] })
    expect(hinted.status).toBe(403)
  })

  test('carry a token that programs of Salt take, and the other way round', async () => {
    const body = { username: 'admin', password: 'x', eauth: 'auto' }
    const { json } = await api.ask('/token', { body })
    const [{ token }] = json
    const { json: pinged } = await api.ask('/run', { body: [{ ...PING, tgt: 'web1', token }] })
    expect(pinged).toEqual({ return: [{ web1: true }] })
    const access = api.master.opened.commands
    const known = await access.answer(
      new Map([
        ['cmd', 'get_token'],
        ['token', token],
      ]),
    )
    expect(toPlain(known as never)).toMatchObject({ name: 'admin', eauth: 'auto' })
  })
})

describe('Rights', () => {
  test('are those of the user, whatever the chunk says', async () => {
    const dev = await api.logIn('dev')
    expect((await api.run(dev, { ...PING, tgt: 'web1' })).json).toEqual({ return: [{ web1: true }] })
    for (const chunk of [
      { ...PING, tgt: 'db1' },
      { ...PING, tgt: '*' },
      { ...PING, tgt: 'L@web1,db1', tgt_type: 'compound' },
      { client: 'local', tgt: 'web1', fun: 'cmd.run', arg: ['id'] },
      { client: 'local_async', tgt: 'db1', fun: 'test.ping' },
      { client: 'local_batch', tgt: 'db1', fun: 'test.ping', batch: '1' },
      { client: 'local_subset', tgt: 'db1', fun: 'test.ping', subset: 1 },
      { client: 'local', tgt: 'web1', fun: 'test.ping', jid: '20300101000000000000' },
      { client: 'local', tgt: 'web1', fun: 'test.ping', ret: 'local' },
      { client: 'runner', fun: 'jobs.list_jobs' },
      { client: 'runner_async', fun: 'manage.up' },
      { client: 'wheel', fun: 'key.list_all' },
      { client: 'wheel_async', fun: 'key.delete', match: '*' },
      { client: 'wheel', fun: 'key.list_all', user: 'root', key: 'x', eauth: 'auto', username: 'admin' },
    ]) {
      const { status, text } = await api.run(dev, chunk)
      expect([chunk, status, text]).toEqual([chunk, 401, expect.stringMatching(/Auth(entication|orization)/)])
    }
  })

  test('of a disabled client are refused to all users', async () => {
    const { status, text } = await api.run(admin, { client: 'ssh', tgt: '*', fun: 'test.ping' })
    expect(status).toBe(400)
    expect(text).toContain('Client disabled: &#x27;ssh&#x27;')
  })
})

test.each([
  ['local', 'tgt', 500],
  ['local_async', 'fun', 500],
  ['local_subset', 'fun', 400],
  ['local_batch', 'tgt', 400],
])('A chunk of %s without %s gets an answer that names the field', async (client, field, status) => {
  const { [field]: _, ...chunk } = { client, tgt: '*', fun: 'test.ping' } as Record<string, string>
  const answer = await api.run(admin, chunk)
  expect([answer.status, answer.text]).toEqual([
    status,
    expect.stringContaining(`The client ${client} needs the field ${field}`),
  ])
})

describe('Lists of jobs', () => {
  const LIST = { client: 'runner', fun: 'jobs.list_jobs' }

  /** Return the common part of two lists: the jobs of the first. The call that requests a list is a job in the next. */
  const shared = (list: object, later: object): object =>
    Object.fromEntries(Object.entries(later).filter(([jid]) => Object.hasOwn(list, jid)))

  /** Empty all dicts and lists of a value. */
  function empty(value: Value): void {
    if (isDict(value)) for (const item of value.values()) empty(item)
    if (Array.isArray(value)) value.length = 0
    else if (isDict(value)) value.clear()
  }

  test('are the same as JSON, as YAML and with a condition', async () => {
    await api.run(admin, { ...PING, fun: 'test.arg', arg: ['ä "text"', 7, { key: [null, 1.5] }] })
    const { json } = await api.ask('/jobs', { token: admin })
    const [list] = json.return
    expect(Object.values(list)).toContainEqual(
      expect.objectContaining({ Function: 'test.arg', Arguments: ['ä "text"', 7, { key: [null, 1.5] }] }),
    )
    const yaml = await api.ask('/jobs', { token: admin, headers: { Accept: 'application/x-yaml' } })
    const read = toPlain(load(yaml.text)) as { return: [object] }
    expect(shared(list, read.return[0])).toEqual(list)
    const found = await api.run(admin, { ...LIST, search_function: '*.*' })
    expect(shared(list, found.json.return[0])).toEqual(list)
    const again = await api.run(admin, LIST)
    expect(shared(list, again.json.return[0])).toEqual(list)
  })

  test('are in the event and the stored return of the call as they are in the answer', async () => {
    const { bus } = api.master.opened.parts
    const heard = new Promise<BusEvent>((done) => {
      const stop = bus.listen((event) => {
        if (!/^salt\/run\/\d+\/ret$/.test(event.tag)) return
        stop()
        done(event)
      })
    })
    const [list] = (await api.ask('/jobs', { token: admin })).json.return
    const { tag, frame } = await heard
    const [body] = new EventFrames().push(frame)
    const { data } = decodeEvent(body!)
    expect(toPlain(data.get('return')!)).toEqual(list)
    const { json } = await api.ask(`/jobs/${tag.split('/')[2]}`, { token: admin })
    expect(Object.values(json.return[0])).toEqual([expect.objectContaining({ return: list, success: true })])
  })

  test('stay as they are when a caller changes the list', async () => {
    const { access, parts } = api.master.opened
    const [list] = (await api.ask('/jobs', { token: admin })).json.return
    const call = { family: 'runner', fun: 'jobs.list_jobs', args: [], kwargs: new Map(), user: 'root' } as const
    const stop = parts.bus.listen((event) => {
      if (event.tag.startsWith('salt/run/')) empty(event.data.get('return') ?? null)
    })
    try {
      for (let times = 0; times < 2; times++) empty((await runMasterFunction(access, call)).value)
    } finally {
      stop()
    }
    expect(shared(list, toPlain((await runMasterFunction(access, call)).value) as object)).toEqual(list)
    expect(shared(list, (await api.ask('/jobs', { token: admin })).json.return[0])).toEqual(list)
  })

  test('are plain values for functions that call functions', async () => {
    const { access } = api.master.opened
    const [list] = (await api.ask('/jobs', { token: admin })).json.return
    const called = await access.functions.runners.call(callingContext(access, OWN_CALL), 'jobs.list_jobs')
    expect(shared(list, toPlain(called as Dict) as object)).toEqual(list)
    const { json } = await api.run(admin, { ...LIST, outputter: 'nested' })
    expect(json.return[0].outputter).toBe('nested')
    expect(shared(list, json.return[0].data)).toEqual(list)
  })
})

describe('Hooks', () => {
  test('become events without the credentials of the caller, from a proven origin', async () => {
    await api.ask('/hook/build/ok', { token: admin, headers: { Cookie: 'session_id=abc' }, body: { build: 7 } })
    const { data } = await api.master.event(/^salt\/netapi\/hook\/build\/ok$/)
    expect(toPlain(data)).toMatchObject({
      body: '{"build":7}',
      post: { build: 7 },
      headers: { 'Content-Type': 'application/json', 'X-Auth-Token': '**********', Cookie: '**********' },
    })
  })

  test.each([
    ['a line feed', '/hook/a%0Ab'],
    ['a null', '/hook/%00'],
    ['2,000 characters', `/hook/${'x'.repeat(2000)}`],
  ])('cannot have a path with %s', async (_what, path) => {
    expect((await api.ask(path, { token: admin, body: {} })).status).toBe(400)
  })

  test('stay below their own tag', async () => {
    await api.ask('/hook/..%2f..%2fauth', { token: admin, body: {} })
    await api.master.event(/^salt\/netapi\/hook\/\.\.\/\.\.\/auth$/)
    expect(api.master.seen.filter(({ tag, data }) => data.has('post') && !tag.startsWith('salt/netapi/hook/'))).toEqual(
      [],
    )
  })
})

describe('Bodies', () => {
  const post = (headers: Record<string, string>, body: unknown) => api.ask('/', { token: admin, headers, body })

  test('over the limit are refused, announced or not', async () => {
    const long = Buffer.alloc(2_000_000, 0x20)
    expect((await post({ 'Content-Type': 'application/json' }, long)).status).toBe(413)
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(65_536, 0x20)),
    })
    const sent = fetch(`${api.url}/`, {
      method: 'POST',
      headers: { 'X-Auth-Token': admin, 'Content-Type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit)
    // the server may close the connection before it was read
    const status = await sent.then(({ status }) => status).catch(() => 'closed')
    expect([413, 'closed']).toContain(status)
  })

  test.each<[what: string, type: string, body: Buffer, status: number]>([
    ['text that is not UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0xfe, 0x22]), 400],
    ['deep JSON', 'application/json', Buffer.from('['.repeat(200_000)), 400],
    ['deep YAML', 'application/x-yaml', Buffer.from('['.repeat(50_000)), 500],
    ['YAML with a bomb of aliases', 'application/x-yaml', yamlBomb(), 500],
    ['a form of many fields', 'application/x-www-form-urlencoded', Buffer.from('a=1&'.repeat(20_000)), 400],
    ['names of JavaScript', 'application/json', Buffer.from('{"__proto__": {"client": "local"}}'), 400],
  ])('that are %s get an answer', async (_what, type, body, status) => {
    expect((await post({ 'Content-Type': type }, body)).status).toBe(status)
    expect((await api.ask('/')).status).toBe(200)
  })

  test('of HTTP/1.0 need no Host', async () => {
    const socket = connect(api.port, '127.0.0.1')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    const heard = await new Promise((done) => socket.once('data', (chunk) => done(chunk.toString())))
    socket.destroy()
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK/)
  })

  test('half sent do not keep others waiting', async () => {
    const sockets = Array.from({ length: 50 }, () => connect(api.port, '127.0.0.1'))
    for (const socket of sockets)
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${admin}\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n[{`,
      )
    expect((await api.run(admin, PING)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })
})

/** A mapping whose aliases would be 2^40 values. */
function yamlBomb(): Buffer {
  const lines = ['a0: &a0 [x, x]']
  for (let level = 1; level < 40; level++) lines.push(`a${level}: &a${level} [*a${level - 1}, *a${level - 1}]`)
  return Buffer.from(lines.join('\n'))
}

describe('Requests', () => {
  test('with an Idempotency-Key are done once', async () => {
    const ask = (body: unknown) =>
      api.ask('/minions', { token: admin, headers: { 'Idempotency-Key': 'deploy-1' }, body })
    const first = await ask([{ tgt: 'web1', fun: 'test.ping' }])
    const second = await ask([{ tgt: 'web1', fun: 'test.ping' }])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.json).toEqual(first.json)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect((await ask([{ tgt: 'web1', fun: 'test.version' }])).status).toBe(422)
  })

  test('are told by events: who, from where, what, without secrets', async () => {
    api.master.seen.splice(0)
    await api.run(admin, { client: 'local', tgt: 'web1', fun: 'test.arg', kwarg: { password: 'pw1', a: 1 } })
    const { data } = await api.master.event(/^salt\/api\/call$/)
    expect(toPlain(data)).toMatchObject({
      user: 'admin',
      address: '127.0.0.1',
      client: 'local',
      fun: 'test.arg',
      tgt: 'web1',
      kwarg: { password: '**********', a: 1 },
      success: true,
    })
    await api.ask('/login', { body: { username: 'nobody', password: 'pw2', eauth: 'nosuch' } })
    const failed = await api.master.event(/^salt\/api\/login$/)
    expect(toPlain(failed.data)).toMatchObject({ user: 'nobody', eauth: 'nosuch', success: false })
    expect(JSON.stringify(toPlain(failed.data))).not.toContain('pw2')
  })

  test('of a caller who disconnects leave nothing behind', async () => {
    const controller = new AbortController()
    const asked = fetch(`${api.url}/`, {
      method: 'POST',
      headers: { 'X-Auth-Token': admin, 'Content-Type': 'application/json' },
      body: JSON.stringify([{ client: 'local', tgt: 'web1', fun: 'test.sleep', arg: [600] }]),
      signal: controller.signal,
    })
    await api.master.event(/^salt\/job\/\d+\/new$/)
    controller.abort()
    await expect(asked).rejects.toThrow()
    expect((await api.run(admin, PING)).status).toBe(200)
    await api.run(admin, { client: 'local', tgt: 'web1', fun: 'saltutil.kill_all_jobs' })
  })
})

describe('Limits', () => {
  test('hold for logins that fail, and let others in', async () => {
    const strict = await ApiSite.open([], { api_login_failures: 3 })
    try {
      const attempt = async (eauth: string) =>
        (await strict.ask('/login', { body: { username: 'admin', eauth, password: 'x' } })).status
      const statuses = []
      for (let count = 0; count < 5; count++) statuses.push(await attempt('nosuch'))
      expect(statuses).toEqual([401, 401, 401, 429, 429])
      expect(await attempt('auto')).toBe(429)
    } finally {
      await strict.close()
    }
  })

  test('hold for requests of one address', async () => {
    const strict = await ApiSite.open([], { api_request_rate: 1 })
    try {
      const answers = await Promise.all(Array.from({ length: 6 }, () => strict.ask('/')))
      const refused = answers.filter(({ status }) => status === 429)
      expect(refused.length).toBeGreaterThan(0)
      expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await strict.close()
    }
  })
})

describe('Files of a web application', () => {
  let app: ApiSite
  beforeAll(async () => {
    const folder = join(api.site.root, 'web')
    mkdirSync(join(folder, 'static'), { recursive: true })
    writeFileSync(join(folder, 'index.html'), '<h1>app</h1>')
    writeFileSync(join(folder, 'static', 'a.js'), 'export {}')
    writeFileSync(join(folder, 'secret'), 'secret')
    symlinkSync(join(folder, 'secret'), join(folder, 'static', 'link'))
    const rest = { app: join(folder, 'index.html'), static: join(folder, 'static') }
    app = await ApiSite.open([], { rest_cherrypy: rest })
  })
  afterAll(() => app.close())

  test('are served to browsers', async () => {
    const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    expect((await app.ask('/', { headers: html })).text).toBe('<h1>app</h1>')
    expect((await app.ask('/app', { headers: html })).text).toBe('<h1>app</h1>')
    expect((await app.ask('/', { headers: { Accept: 'application/json' } })).json.return).toBe('Welcome')
    const script = await app.ask('/static/a.js', { headers: { Accept: '*/*' } })
    expect([script.text, script.headers.get('content-type')]).toEqual(['export {}', 'text/javascript'])
  })

  test.each([
    '/static/../secret',
    '/static/..%2fsecret',
    '/static/%2e%2e/secret',
    '/static/link',
    '/static//etc/passwd',
    '/static/a.js%00',
  ])('do not lead out of their folder by %s', async (path) => {
    const { status, text } = await app.ask(path)
    expect([404, 403]).toContain(status)
    expect(text).not.toBe('secret')
  })
})

describe('TLS', () => {
  const files = (): Record<string, string> => {
    const [ssl_key, ssl_crt] = ['key.pem', 'crt.pem'].map((name) => join(api.site.root, name)) as [string, string]
    const words = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
    execFileSync('openssl', ['req', ...words, '-keyout', ssl_key, '-out', ssl_crt], { stdio: 'ignore' })
    return { ssl_key, ssl_crt }
  }

  /** Ask over TLS, at the least in a version. */
  const secure = (port: number, maxVersion?: 'TLSv1.1' | 'TLSv1.3') =>
    new Promise<{ status: number | undefined; cookie: string }>((done, fail) => {
      const options = { port, host: '127.0.0.1', path: '/login', rejectUnauthorized: false, agent: false }
      get({ ...options, ...(maxVersion && { maxVersion, minVersion: maxVersion }) }, (response) => {
        response.resume()
        done({ status: response.statusCode, cookie: String(response.headers['set-cookie']) })
      }).once('error', fail)
    })

  test('serves with a secure cookie, and no old version', async () => {
    const site = await ApiSite.open([], { rest_cherrypy: { ...files(), disable_ssl: false } })
    try {
      const { status, cookie } = await secure(site.port, 'TLSv1.3')
      expect([status, cookie.endsWith('; Secure')]).toEqual([200, true])
      await expect(secure(site.port, 'TLSv1.1')).rejects.toThrow()
      await expect(site.ask('/')).rejects.toThrow()
    } finally {
      await site.close()
    }
  })

  test.each([
    [
      'a missing file',
      { ssl_crt: '/nowhere/crt.pem', ssl_key: '/nowhere/key.pem', disable_ssl: false },
      /rest_cherrypy: ssl_crt: .*\/nowhere\/crt\.pem/,
    ],
    ['a port that is no number', { port: 'web' }, /The option rest_cherrypy: port must be a number from 0 to 65535/],
    ['addresses that are no list', { authorized_ips: 7 }, /The option rest_cherrypy: authorized_ips must be a list/],
  ])('is not served with %s, and says so', async (_what, rest, message) => {
    await expect(ApiSite.open([], { rest_cherrypy: rest })).rejects.toThrow(message)
  })
})
