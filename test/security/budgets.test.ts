// What others can cost a master: its life, its time, its memory and its disk.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { BusClient } from '../../src/bus/mod.ts'
import { type Dict, FOREIGN_DEPTH, type Value } from '../../src/data/mod.ts'
import { type MasterChannel, openTransport, type RequestClient } from '../../src/wire/mod.ts'
import { freePort } from '../free-port.ts'
import { pingMeter } from '../ping-meter.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'
import { clearMessage, emptyMappings, nestedLists, sendRaw } from './raw-request.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'salt-master.js')
const ID = 'ip-10-20-30-40.eu-central-1.compute.internal'

describe('a minion', () => {
  let site: Besieged
  let evil: MasterChannel
  let honest: MasterChannel
  beforeAll(async () => {
    site = await Besieged.start(
      { minion_mine_max_size: 1, minion_grains_max_size: 1, minion_return_max_size: 1, minion_resources_max: 2 },
      PROGRAM,
    )
    evil = await site.minion('evil')
    honest = await site.minion(ID)
    await honest.send(dict({ cmd: '_mine', data: dict({ f: 'kept' }) }))
  })
  afterAll(() => site.stop())

  const pillar = (grains: Dict): Promise<unknown> =>
    evil.sendPrivate(dict({ cmd: '_pillar', grains, saltenv: 'base' }), 'pillar')
  const mineOf = (tgt: unknown, kind: string, asking = honest): Promise<Value> =>
    asking.send(dict({ cmd: '_mine_get', fun: 'f', tgt, tgt_type: kind }))

  it.each([
    ['a regular expression', '([a-z0-9.-]+)+!', 'pcre'],
    ['a compound target', 'E@([a-z0-9.-]+)+!', 'compound'],
  ])('cannot hold up others by %s', async (_what, tgt, kind) => {
    const channel = await site.minion(`evil-${kind}`)
    const stop = pingMeter(() => site.clear({ cmd: 'ping' }))
    expect(await mineOf(tgt, kind, channel)).toEqual(new Map())
    expect((await stop()).answered).toBeGreaterThan(2)
    expect(site.logs.some((line) => line.includes(`of minion evil-${kind} took longer than 1 seconds`))).toBe(true)
    expect(await mineOf('ip-.*', 'pcre')).toEqual(dict({ [ID]: 'kept' }))
  })

  it('cannot hold up others by a target of many levels', async () => {
    await pillar(nested(400))
    const [found] = await Promise.all([mineOf('a:'.repeat(16_000), 'grain', evil), site.clear({ cmd: 'ping' })])
    expect(found).toEqual(new Map())
  })

  it('has a mine of its share, and an update beyond that changes nothing', async () => {
    await evil.send(dict({ cmd: '_mine', data: dict({ f: 'before' }) }))
    expect(await evil.send(dict({ cmd: '_mine', data: dict({ f: 'x'.repeat(2 << 20) }) }))).toBe(false)
    expect(
      await evil.send(dict({ cmd: '_mine', data: dict({ g: Array.from({ length: 20_000 }, () => new Map()) }) })),
    ).toBe(false)
    expect(site.parts.cache.bank('mine').fetch('evil')).toEqual(dict({ f: 'before' }))
    expect(site.logs.some((line) => line.includes('minion_mine_max_size'))).toBe(true)
  })

  it('has grains and resources of its share', async () => {
    await pillar(dict({ os: 'before' }))
    await pillar(dict({ os: 'x'.repeat(2 << 20) }))
    expect((site.parts.cache.bank('grains').fetch('evil') as Dict).get('os')).toBe('before')
    const register = (ids: string[]): Promise<Value> =>
      evil.send(dict({ cmd: '_register_resources', resources: dict({ switch: ids }) }))
    expect(await register(['s1', 's2'])).toBe(true)
    expect(await register(['s1', 's2', 's3'])).toBe(false)
    expect(site.parts.cache.bank('minion_resources').fetch('evil')).toEqual(dict({ switch: ['s1', 's2'] }))
  })

  it('cannot hold up others by a request of many values', async () => {
    const many = Array.from({ length: 300_000 }, () => 1)
    const channel = await site.minion('evil-values')
    await expect(channel.send(dict({ cmd: '_mine', data: dict({ f: many }) }))).rejects.toThrow()
    expect(site.parts.cache.bank('mine').fetch('evil-values')).toBeUndefined()
    expect(site.logs.some((line) => /minion evil-values: .*minion_request_max_values/.test(line))).toBe(true)
  })

  it('has a return of many values kept, which the master does not read', async () => {
    const jid = '20300101000000000019'
    const many = Array.from({ length: 300_000 }, () => 1)
    await evil.send(dict({ cmd: '_return', jid, fun: 'state.apply', return: many, retcode: 1 }))
    expect(site.parts.jobs.returnOf(jid, 'evil')?.get('return')).toEqual(many)
    expect(site.logs.some((line) => line.includes(`Fired no events of failed states for salt/job/${jid}`))).toBe(true)
  })

  it('returns no more than the master keeps of one; the job shows the reason', async () => {
    const jid = '20300101000000000009'
    await evil.send(dict({ cmd: '_return', jid, fun: 'test.arg', return: 'x'.repeat(2 << 20), retcode: 0 }))
    const ret = site.parts.jobs.returns(jid).get('evil')!
    expect(ret.get('return')).toMatch(/^The return has \d+ bytes, 1048576 are allowed \(minion_return_max_size\)$/)
    expect(ret.get('retcode')).toBe(1)
  })
})

describe('a stranger', () => {
  let site: Besieged
  beforeAll(async () => {
    site = await Besieged.start({ auto_accept: false, max_pending_minions: 3 })
  })
  afterAll(() => site.stop())

  it('cannot fill the folder of keys that wait', async () => {
    const ask = async (id: string): Promise<void> => {
      await site.clear({ cmd: '_auth', id, pub: `a key of ${id}`, nonce: 'n'.repeat(32), enc_algo: 'OAEP-SHA1' })
    }
    for (let i = 0; i < 6; i++) await ask(`m${i}`)
    expect(site.parts.keys.list('minions_pre')).toEqual(['m0', 'm1', 'm2'])
    expect(site.events.filter(({ data }) => data.get('act') === 'full')).toHaveLength(3)
    expect(site.logs.filter((line) => line.includes('max_pending_minions'))).toHaveLength(1)
    // waiting requests are answered as before
    await ask('m1')
    expect(site.events.at(-1)!.data.get('act')).toBe('pend')
  })

  it('is read no further when its messages have many values', async () => {
    const message = clearMessage({ cmd: 'ping' }, 'x', emptyMappings(50_000))
    const answers = await Promise.all([1, 2, 3].map(() => sendRaw(site.ports.requests, message)))
    expect(answers.filter((answer) => answer.includes('Routing error'))).toHaveLength(2)
    expect(await site.clear({ cmd: 'ping' })).toEqual(dict({ cmd: 'ping' }))
  })

  it('cannot announce a message of the largest size', async () => {
    const answer = await sendRaw(site.ports.requests, Buffer.alloc((1 << 26) + 1))
    expect(answer.length).toBeLessThan(128)
    expect(await site.clear({ cmd: 'ping' })).toEqual(dict({ cmd: 'ping' }))
  })
})

describe('a daemon', () => {
  const root = mkdtempSync(join(tmpdir(), 'brine-budgets-'))
  let daemon: ChildProcess | undefined
  let client: RequestClient | undefined
  afterEach(async () => {
    client?.close()
    const ended = new Promise((done) => daemon?.once('exit', done))
    daemon?.kill('SIGTERM')
    if (daemon?.exitCode === null) await ended
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  async function start(options: Record<string, unknown>): Promise<number> {
    const port = await freePort()
    mkdirSync(join(root, 'etc'), { recursive: true })
    const all = { root_dir: root, user: 'root', interface: '127.0.0.1', ret_port: port, publish_port: await freePort() }
    writeFileSync(join(root, 'etc', 'master'), JSON.stringify({ ...all, sock_dir: join(root, 'sock'), ...options }))
    daemon = spawn(process.execPath, [PROGRAM, '-c', join(root, 'etc')], { stdio: 'ignore' })
    client = (await openTransport('zeromq')).connect({ host: '127.0.0.1', port })
    return port
  }

  const ping = (): Promise<Value> =>
    client!.request({ enc: 'clear', load: dict({ cmd: 'ping' }), version: 3 }, { timeout: 30, tries: 4 })
  const log = (): string => readFileSync(join(root, 'var/log/salt/master'), 'utf8')

  it('outlives requests that nest deep, with somebody who listens to its events', async () => {
    const port = await start({})
    await ping()
    const paths = { pub: join(root, 'sock/master_event_pub.ipc'), pull: join(root, 'sock/master_event_pull.ipc') }
    const bus = await BusClient.open({ paths })
    const fields = { cmd: 'publish', fun: 'x', tgt: '*', user: 'root' }
    for (const levels of [FOREIGN_DEPTH - 2, FOREIGN_DEPTH, 506, 507, 508, 509, 510, 511, 600, 1022, 5000]) {
      await sendRaw(port, clearMessage(fields, 'arg', nestedLists(levels)))
      await ping()
    }
    expect((await bus.next(30))?.tag).toBe('salt/job/error')
    bus.close()
    expect(daemon!.exitCode).toBe(null)
  })

  it('survives an error of an engine in a timer and a rejected promise, and logs what to report', async () => {
    mkdirSync(join(root, 'modules', 'engines'), { recursive: true })
    const engine = `export async function start() {
      setTimeout(() => { throw new Error('thrown in a timer') }, 10)
      void Promise.reject(new Error('rejected for nobody'))
      await new Promise(() => {})
    }\n`
    writeFileSync(join(root, 'modules', 'engines', 'careless.mjs'), engine)
    await start({ engines: [{ careless: {} }], extension_modules: join(root, 'modules') })
    await until('both to be told', async () => {
      await ping()
      return /goes on after an error in it.*thrown in a timer/.test(log()) && /goes on.*rejected for nobody/.test(log())
    })
    expect(await ping()).toEqual(dict({ cmd: 'ping' }))
  })

  it('that cannot start ends with its error', async () => {
    const port = await start({})
    await ping()
    const ended = new Promise<number | null>((done) => {
      const words = [PROGRAM, '-c', join(root, 'second')]
      mkdirSync(join(root, 'second'))
      const settings = { root_dir: join(root, 'two'), user: 'root', interface: '127.0.0.1', ret_port: port }
      writeFileSync(join(root, 'second', 'master'), JSON.stringify({ ...settings, publish_port: 0 }))
      spawn(process.execPath, words, { stdio: 'ignore' }).once('exit', done)
    })
    expect(await ended).toBe(1)
  })
})

/** Mappings of the key `a` within each other. */
function nested(levels: number): Dict {
  let value: Value = 'end'
  for (let i = 0; i < levels; i++) value = new Map<Value, Value>([['a', value]])
  return value as Dict
}
