// The program salt-api beside a master, and the API inside the master: which process serves, and what survives
// restarts.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../free-port.ts'
import { until } from '../until.ts'
import { SseClient } from './event-site.ts'

const DIST = process.env['LIVE_DIST'] ?? join(import.meta.dirname, '../../dist')
const root = mkdtempSync(join(tmpdir(), 'brine-api-program-'))
const processes = new Map<string, ChildProcess>()
let port: number

beforeAll(async () => {
  port = await freePort()
  const [publish, ret] = [await freePort(), await freePort()]
  const master = {
    root_dir: root,
    interface: '127.0.0.1',
    publish_port: publish,
    ret_port: ret,
    auto_accept: true,
    netapi_enable_clients: ['local', 'runner'],
    external_auth: { auto: { admin: ['.*', '@runner'] } },
    rest_cherrypy: {
      port,
      host: '127.0.0.1',
      disable_ssl: true,
      log_access_file: join(root, 'access.log'),
      log_error_file: join(root, 'error.log'),
    },
  }
  write('inside', 'master', master)
  write('outside', 'master', { ...master, api_in_master: false })
  const prometheus = { host: '127.0.0.1', port: await freePort() }
  write('measured', 'master', {
    ...master,
    api_in_master: false,
    metrics: { enabled: true, exporter: 'prometheus', prometheus },
  })
  write('broken', 'master', { ...master, rest_cherrypy: { port: 'web', disable_ssl: true } })
  write('web1', 'minion', {
    root_dir: join(root, 'web1'),
    id: 'web1',
    master: '127.0.0.1',
    master_port: ret,
    publish_port: publish,
    recon_default: 50,
    recon_max: 200,
  })
})

afterAll(async () => {
  for (const name of [...processes.keys()]) await stop(name)
  rmSync(root, { recursive: true, force: true })
})

function write(name: string, kind: string, options: object): void {
  mkdirSync(join(root, 'etc', name), { recursive: true })
  writeFileSync(join(root, 'etc', name, kind), JSON.stringify(options))
}

/** Return the log of a daemon so far. */
function log(name: string): string {
  const file = join(root, `${name}.log`)
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function start(name: string, program: string, config: string): void {
  const child = spawn(
    'sh',
    [
      '-c',
      `exec "$0" "$@" 2>>"${join(root, `${name}.log`)}"`,
      process.execPath,
      join(DIST, `${program}.js`),
      '-c',
      join(root, 'etc', config),
      '-l',
      'info',
    ],
    { stdio: 'ignore' },
  )
  processes.set(name, child)
}

async function stop(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const child = processes.get(name)!
  processes.delete(name)
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill(signal)
  await ended
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
async function ask(path: string, body?: unknown, token = ''): Promise<{ status: number; json: any }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', 'X-Auth-Token': token },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : text }
}

const isServed = (): Promise<boolean> =>
  ask('/').then(
    ({ status }) => status === 200,
    () => false,
  )

const logIn = async (): Promise<string> =>
  (await ask('/login', { username: 'admin', password: 'x', eauth: 'auto' })).json.return[0].token

const PING = [{ client: 'local', tgt: '*', fun: 'test.ping' }]

/** The answer to a ping, once the minion is back. */
async function pings(token: string): Promise<void> {
  await until('the minion answers through the API', async () => {
    const { json } = await ask('/', PING, token)
    return json?.return?.[0]?.web1 === true
  })
}

describe('salt-api in a separate process', () => {
  let token: string
  beforeAll(async () => {
    start('master', 'salt-master', 'outside')
    start('web1', 'salt-minion', 'web1')
    start('api', 'salt-api', 'outside')
    await until('salt-api serves', isServed)
    await until(
      'a login succeeds',
      async () => (await ask('/login', { username: 'admin', password: 'x', eauth: 'auto' })).status === 200,
    )
    token = await logIn()
  })

  test('runs jobs and runners', async () => {
    await pings(token)
    expect((await ask('/', [{ client: 'runner', fun: 'test.arg', arg: [1] }], token)).json).toEqual({
      return: [{ args: [1], kwargs: {} }],
    })
  })

  test('lists all jobs, also those that are new since the last list', async () => {
    const jobs = async (): Promise<Record<string, { Function: string; Arguments: unknown[] }>> =>
      (await ask('/jobs', undefined, token)).json.return[0]
    // a list with some entries has the form that is passed on
    for (let i = 0; i < 3; i++) await pings(token)
    const before = await jobs()
    await ask('/', [{ client: 'local', tgt: 'web1', fun: 'test.arg', arg: ['ä "x"'] }], token)
    const after = await jobs()
    const added = Object.entries(after).filter(([jid]) => !(jid in before))
    const of = (wanted: string) => added.map(([, job]) => job).filter((job) => job.Function === wanted)
    expect(Object.keys(after).slice(0, Object.keys(before).length)).toEqual(Object.keys(before))
    expect(of('test.arg')).toMatchObject([{ Arguments: ['ä "x"'], Target: 'web1', User: 'admin' }])
    // the call that made the list before is a job as well
    expect(of('runner.jobs.list_jobs')).toHaveLength(1)
  })

  test('keeps sessions when it is killed', async () => {
    await stop('api', 'SIGKILL')
    start('api', 'salt-api', 'outside')
    await until('salt-api serves again', isServed)
    await pings(token)
  })

  test('says that the master is away, and goes on when it is back', async () => {
    await stop('master', 'SIGKILL')
    const { status } = await ask('/', PING, token)
    expect(status).toBe(503)
    start('master', 'salt-master', 'outside')
    await until('the master is back', async () => (await ask('/', PING, token)).status === 200)
    await pings(token)
  })

  test('goes on with its streams when the master is killed and comes back', async () => {
    const stream = await SseClient.open(`http://127.0.0.1:${port}/events`, { 'X-Auth-Token': token })
    try {
      await until('the stream begins', () => stream.text.includes('retry: 400'))
      await stop('master', 'SIGKILL')
      start('master', 'salt-master', 'outside')
      await until('the master is back', async () => (await ask('/', PING, token)).status === 200)
      await pings(token)
      await until('the stream has the return', () => /^tag: salt\/job\/\d+\/ret\/web1$/m.test(stream.text))
      expect(stream.isOver).toBe(false)
    } finally {
      stream.close()
    }
  })

  test('notes requests in the file of log_access_file', async () => {
    const file = join(root, 'access.log')
    await until(
      'the line is there',
      () => existsSync(file) && /^127\.0\.0\.1 - - \[.*\] "POST \/ HTTP\/1\.1" 200 /m.test(readFileSync(file, 'utf8')),
    )
  })
})

describe('the API inside the master', () => {
  beforeAll(async () => {
    for (const name of ['api', 'master']) if (processes.has(name)) await stop(name)
  })

  test('is not served with api_in_master: False by a master that exports metrics', async () => {
    start('measured', 'salt-master', 'measured')
    await until('the master is ready', () => log('measured').includes('salt-master is ready'))
    expect(await isServed()).toBe(false)
    await until('the metrics are there', () => log('measured').includes('Prometheus /metrics listener bound'))
    await stop('measured')
  })

  test('does not keep the master from running when its options are wrong', async () => {
    start('broken', 'salt-master', 'broken')
    await until('the master says what is wrong', () =>
      log('broken').includes('The master runs without its API: The option rest_cherrypy: port must be a number'),
    )
    await until('the master is ready', () => log('broken').includes('salt-master is ready'))
    await stop('broken')
  })

  test('is served by one of master and salt-api, and taken over by the other', async () => {
    start('master', 'salt-master', 'inside')
    await until('the master serves', isServed)
    const token = await logIn()
    start('api', 'salt-api', 'inside')
    await until('salt-api waits', () => log('api').includes('waiting to take over'))
    await pings(token)
    await stop('master', 'SIGKILL')
    await until('salt-api serves', async () => (await ask('/').catch(() => undefined))?.status === 200)
    start('master', 'salt-master', 'inside')
    await until('the master is back', async () => (await ask('/', PING, token)).status === 200)
    await pings(token)
  })
})
