// The interface of the master for Salt's own Python on its machine, tested by hand: the required sockets, the frames of
// events, jobs that its client publishes, and their files in the job cache.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saltCall } from '../../src/cli/mod.ts'
import { localKey } from '../../src/client/mod.ts'
import { masterConfig } from '../../src/config/mod.ts'
import {
  type Dict,
  decodeMsgpack,
  encodeMsgpack,
  fromPlain,
  type Plain,
  str,
  toPlain,
  type Value,
} from '../../src/data/mod.ts'
import { ClearClient, openTransport } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

const quiet = { out: () => undefined, err: () => undefined, terminal: false }
let site: TestSite
let master: TestMaster

beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

async function open(options: Record<string, unknown> = {}): Promise<void> {
  master = await site.master('master', '127.0.0.1', options)
  await site.minion('web1')
  await master.event(/^salt\/minion\/web1\/start$/)
}

const below = (...parts: string[]): string => join(site.root, 'master', ...parts)
const socketPath = (name: string): string => below('var/run/salt/master', name)
const cache = (...parts: string[]): string => below('var/cache/salt/master', ...parts)

/** Sends a command as Salt's `ReqChannel` does, and returns the answer. */
async function send(load: Record<string, unknown>): Promise<Plain> {
  const { user, key } = localKey(await masterConfig({ path: join(master.config, 'master') }))
  const transport = await openTransport('zeromq')
  const client = new ClearClient(transport.connect({ host: '127.0.0.1', port: site.ports.ret }))
  try {
    return toPlain(await client.send(fromPlain({ key, user, ...load }), { timeout: 60, tries: 1 }))
  } finally {
    client.close()
  }
}

/** Publishes as Salt's `LocalClient` does; returns the job id. */
async function publish(fun: string, more: Record<string, unknown> = {}): Promise<string> {
  const job = { cmd: 'publish', tgt: '*', fun, arg: [], tgt_type: 'glob', ret: '', jid: '', kwargs: {} }
  const answer = (await send({ ...job, ...more })) as { load: { jid: string; minions: string[] } }
  expect(answer.load.minions).toEqual(['web1'])
  return answer.load.jid
}

function jobFolder(jid: string): string {
  const hash = createHash('sha256').update(jid).digest('hex')
  return cache('jobs', hash.slice(0, 2), hash.slice(2))
}
const readFile = (path: string): Plain => toPlain(decodeMsgpack(readFileSync(path), { dialect: 'bus' }))

const returned = (jid: string): Promise<unknown> => master.event(new RegExp(`^salt/job/${jid}/ret/web1$`))

function connect(name: string): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = createConnection(socketPath(name))
    site.atEnd(async () => socket.destroy())
    socket.once('error', fail)
    socket.once('connect', () => done(socket))
  })
}

describe("Salt's Python on the machine of our master", () => {
  it('finds the sockets and directories that it looks for, which are for their owner', async () => {
    await open()
    const modes = Object.fromEntries(
      ['publish_pull.ipc', 'workers.ipc', 'master_event_pull.ipc', 'master_event_pub.ipc'].map((name) => {
        const found = statSync(socketPath(name))
        return [name, found.isSocket() && (found.mode & 0o777).toString(8)]
      }),
    )
    expect(modes).toEqual({
      'publish_pull.ipc': '600',
      'workers.ipc': '600',
      'master_event_pull.ipc': '600',
      'master_event_pub.ipc': '660',
    })
    for (const name of ['proc', 'jobs']) expect(statSync(cache(name)).mode & 0o777).toBe(0o700)
    await master.stop()
    expect(readdirSync(below('var/run/salt/master'))).toEqual([])
  })

  it('publishes nothing through publish_pull.ipc', async () => {
    await open()
    const socket = await connect('publish_pull.ipc')
    const load = new Map<Value, Value>([
      ['fun', 'test.ping'],
      ['jid', '20260101000000000000'],
      ['tgt', '*'],
    ])
    socket.on('error', () => undefined)
    socket.write(
      encodeMsgpack(
        new Map<Value, Value>([
          ['head', new Map()],
          ['body', encodeMsgpack(load, 'bus')],
        ]),
        'bus',
      ),
    )
    await new Promise((done) => socket.once('close', done))
    await publish('test.ping').then(returned)
    expect(master.seen.filter(({ tag }) => tag.includes('20260101000000000000'))).toEqual([])
  })

  it('fires events and hears them in its own frames', async () => {
    await open()
    const received: Buffer[] = []
    const listener = await connect('master_event_pub.ipc')
    listener.on('data', (chunk) => received.push(chunk))
    const firing = await connect('master_event_pull.ipc')
    const event = Buffer.concat([Buffer.from('my/tag\n\n'), encodeMsgpack(new Map([['n', 7]]), 'bus')])
    const frame = encodeMsgpack(
      new Map<Value, Value>([
        ['head', new Map()],
        ['body', event],
      ]),
      'bus',
    )
    const length = Buffer.alloc(4)
    length.writeUInt32BE(frame.length)
    firing.write(Buffer.concat([length, frame]))
    const { data } = await master.event(/^my\/tag$/)
    expect(data.get('n')).toBe(7)
    await until('the event comes back', () => Buffer.concat(received).includes('my/tag\n\n'))
    const [first] = Buffer.concat(received)
    // a map of two comes first: the frame is msgpack without a length
    expect(first).toBe(0x82)
  })

  it('has the files of a job that it publishes: the load at once, returns as they come', async () => {
    await open()
    const jid = await publish('test.echo', { arg: ['hi'] })
    const folder = jobFolder(jid)
    expect(readFileSync(join(folder, 'jid'), 'utf8')).toBe(jid)
    expect(readFile(join(folder, '.load.p'))).toMatchObject({ jid, fun: 'test.echo', arg: ['hi'], tgt: '*' })
    expect(readFile(join(folder, '.minions.p'))).toEqual(['web1'])
    await returned(jid)
    expect(readFile(join(folder, 'web1', 'return.p'))).toEqual({ return: 'hi', retcode: 0, success: true })
    expect(readFileSync(join(folder, '.load.p')).includes('key')).toBe(false)
  })

  it('has no files of jobs that our programs publish', async () => {
    await open()
    const jid = await master.publish('*', 'test.ping')
    await returned(jid)
    expect(existsSync(jobFolder(jid))).toBe(false)
  })

  it('has files of all jobs where job_cache_files is True, of calls on minions too', async () => {
    await open({ job_cache_files: true })
    const jid = await master.publish('*', 'test.ping')
    await returned(jid)
    expect(readFile(join(jobFolder(jid), 'web1', 'return.p'))).toMatchObject({ return: true })
    await saltCall(['-c', dirname(site.minionConfig('web1')), 'test.echo', 'hi'], quiet)
    const own = master.seen.find(({ tag, data }) => tag.endsWith('/ret/web1') && data.get('fun') === 'test.echo')!
    const folder = jobFolder(str(own.data.get('jid')!))
    expect(readFile(join(folder, '.load.p'))).toMatchObject({ fun: 'test.echo', arg: ['hi'], tgt: 'web1' })
    expect(readFile(join(folder, 'web1', 'return.p'))).toMatchObject({ return: 'hi' })
  })

  it.each([
    ['job_cache_files is False', { job_cache_files: false }, {}],
    ['nocache is wanted', {}, { kwargs: { nocache: true } }],
    ['another returner keeps jobs', { master_job_cache: 'of_our_own' }, {}],
  ])('has none where %s', async (_, options, more) => {
    await open(options)
    const jid = await publish('test.ping', more)
    await returned(jid)
    expect(existsSync(jobFolder(jid))).toBe(false)
  })

  it('calls runners with the arguments that its RunnerClient sends', async () => {
    await open()
    const kwarg = { arg: ['web1', 'test.echo'], kwarg: { arg: ['hi'] } }
    const { jid } = (await send({ cmd: 'runner', fun: 'salt.execute', kwarg })) as { jid: string }
    const { data } = await master.event(new RegExp(`^salt/run/${jid}/ret$`))
    expect(toPlain((data as Dict).get('return')!)).toEqual({ web1: 'hi' })
  })
})
