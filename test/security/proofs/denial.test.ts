// Attacks on the service: messages that end the process, keep it busy, or fill its memory, disk and log. A listener is on
// the bus all the time. Afterwards the same process must serve, and hold no more than before.
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { holds } from '../../faults/holds.ts'
import { until } from '../../until.ts'
import { type RogueMinion, signInLoad } from './attacker.ts'
import { bytesOf, emptyMaps, field, nestedLists, pack, Raw } from './msgpack.ts'
import { Site } from './site.ts'

const HOST_NAME = 'ip-10-20-30-40.eu-central-1.compute.internal'
const MOST_PENDING = 20
const MIB = 1 << 20

let site: Site
let evil: RogueMinion

beforeAll(async () => {
  site = await Site.open({
    master: {
      auto_accept: false,
      autosign_file: '<ROOT>/master/autosign',
      max_pending_minions: MOST_PENDING,
      log_level_logfile: 'debug',
      external_auth: { auto: { tina: ['test.*'] } },
    },
    files: { 'master/autosign': `evil\n${HOST_NAME}\n` },
  })
  evil = await site.rogue('evil')
  await site.rogue(HOST_NAME)
  // targets are compared with the grains that the master stored
  await evil.pillar({ grains: { id: 'evil', name: HOST_NAME, a: { a: { a: 'a' } } } })
})
beforeEach(() => site.revive())
afterAll(() => site.close())

const tina = { kwargs: { eauth: 'auto', username: 'tina', password: 'x' } }
const publishing = { cmd: 'publish', fun: 'test.ping', arg: [], ret: '', jid: '', user: 'x', ...tina }

/** Whether the master served others while it had this to do. */
async function servesBeside(attack: Promise<unknown>): Promise<boolean> {
  const settled = attack.catch(() => undefined)
  // the attack has to be read first
  await new Promise((done) => setTimeout(done, 300))
  const isServing = await site.isAlive()
  if (isServing) await settled
  return isServing
}

describe('a target', () => {
  const bomb = '([a-z0-9.-]+)+!'
  const many = (what: string): string => what.repeat(30_000)

  it.each([
    ['an expensive expression', 'pcre', bomb],
    ['one in a compound', 'compound', `E@${bomb}`],
    ['one turned round', 'compound', `not E@${bomb} or E@${bomb}`],
    ['a long repetition', 'pcre', '(a{1,1000}){1,1000}'],
    ['many brackets', 'compound', many('( ')],
    ['many words', 'compound', `${many('not ')}x`],
  ])('of a user does not block others: %s', async (_name, tgt_type, tgt) => {
    expect(await servesBeside(site.stranger().clear({ ...publishing, tgt, tgt_type }))).toBe(true)
  })

  it.each([
    ['many levels of grains', 'grain', many('a:')],
    ['many levels of grains in a compound', 'compound', `G@${many('a:')}x`],
    ['an expensive expression', 'pcre', bomb],
    ['an expensive expression about a grain', 'grain_pcre', `name:${bomb}`],
    ['many groups', 'pcre', `${many('(')}${many(')')}`],
    ['many words', 'compound', `${many('not ')}x`],
  ])('of a minion does not block others: %s', async (_name, tgt_type, tgt) => {
    expect(await servesBeside(evil.ask({ cmd: '_mine_get', fun: 'a', tgt, tgt_type }))).toBe(true)
  })
})

describe('a message that is nested deeply', () => {
  it.each([400, 505, 511, 600, 1000, 1019, 1022, 5000])('does not end the master: %d levels', async (depth) => {
    const load = { cmd: 'publish', fun: 'x', tgt: '*', user: 'root', arg: nestedLists(depth) }
    await site.client.clear(load, 5).catch(() => undefined)
    const data = { deep: nestedLists(depth - 4) }
    for (const request of [
      { cmd: '_minion_event', tag: 'x', data },
      { cmd: '_minion_event', events: [{ tag: 'x', data }] },
      { cmd: '_return', jid: 'req', fun: 'test.ping', retcode: 0, return: data },
      { cmd: '_return', jid: 'req', fun: 'state.apply', retcode: 1, return: { a: { result: false, ...data } } },
      { cmd: '_mine', data },
    ])
      await evil.ask(request, 5).catch(() => undefined)
    expect(await site.isAlive()).toBe(true)
  })
})

describe('requests of a minion that make no sense', () => {
  const junk: object[] = [
    { cmd: '_minion_event', tag: 5, data: 1 },
    {
      cmd: '_minion_event',
      events: [1, null, { tag: null }, { tag: { a: 1 } }, { tag: 'x', data: new Raw(Buffer.of(0xa1, 0xff)) }],
    },
    { cmd: '_minion_event', tag: 'y', data: { a: 2n ** 63n, b: -1e308, c: Number.NaN, d: Buffer.of(255, 254) } },
    { cmd: '_minion_event', tag: 'y', data: new Raw(Buffer.from('81a161c7184e', 'hex')) },
    { cmd: '_return', jid: { a: 1 }, fun: { b: 2 }, return: { x: 1 }, retcode: { z: 1 } },
    { cmd: '_return', jid: '../../../x', fun: 'x', return: 1, retcode: 0 },
    { cmd: '_return', jid: 'nocache', fun: 'state.sls', return: { a: { result: false } }, retcode: 1 },
    { cmd: '_mine_delete', fun: ['a'] },
    { cmd: '_mine_get', fun: 'a', tgt: nestedLists(200), tgt_type: 'compound' },
    { cmd: '_mine_get', fun: 'a', tgt: 'N@x and (((', tgt_type: 'compound' },
    { cmd: '_pillar', grains: { id: 5, a: nestedLists(900) }, saltenv: { a: 1 }, pillarenv: ['x'], pillar_override: 5 },
    { cmd: '_file_list', saltenv: '__env__', fsbackend: { a: 1 } },
    { cmd: '_serve_file', path: 'top.sls', saltenv: 'base', loc: 0, gzip: 1e9 },
    { cmd: '_register_resources', resources: { '../../x': ['a'], '': [''], a: { b: 1 }, c: 'x', 'a\0b': ['a'] } },
    { cmd: '_register_resources', resources: { ['y'.repeat(300)]: ['a'] }, resource_grains: { y: { a: 1 } } },
    { cmd: 'pub_ret', jid: '__proto__' },
  ]

  it('do not end the master', async () => {
    for (const load of junk) await evil.ask(load, 5).catch(() => undefined)
    expect(await site.isAlive()).toBe(true)
  })
})

/** MiB of the files below a folder. */
function sizeOf(folder: string): number {
  const paths = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))
  const sizes = paths.map((path) => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0) / MIB
}

/** CPU time that the master used so far, in seconds. */
function cpuSeconds(): number {
  const [, fields = ''] = readFileSync(`/proc/${site.cluster.pidOf('master')}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return (user! + system!) / 100
}

describe('strangers', () => {
  it('fill no folder with keys', async () => {
    const pub = [evil.key.publicPem, `-----BEGIN PUBLIC KEY-----\n${'A'.repeat(16_000)}\n-----END PUBLIC KEY-----`]
    for (let i = 0; i < 4 * MOST_PENDING; i++) await site.client.clear(signInLoad(`stranger-${i}`, pub[i % 2]))
    const pending = site.path('master/pki/minions_pre')
    expect(existsSync(pending) ? readdirSync(pending).length : 0).toBeLessThanOrEqual(MOST_PENDING)
    expect(sizeOf(site.path('master/pki'))).toBeLessThan(1)
  })

  it('fill no disk with what is refused', async () => {
    const before = sizeOf(site.cluster.cachedir)
    for (let i = 0; i < 3; i++) {
      const load = { cmd: 'publish', tgt: '*', fun: 'x', arg: ['y'.repeat(10 * MIB)], key: 'no', user: 'nobody' }
      await site.client.clear(load).catch(() => undefined)
    }
    // records are written in this order
    await site.owner({ cmd: 'wheel', fun: 'key.list_all' })
    await new Promise((done) => setTimeout(done, 500))
    expect(sizeOf(site.cluster.cachedir) - before).toBeLessThan(5)
  })

  it('get nothing signed that is longer than a nonce', async () => {
    for (const nonce of [Buffer.alloc(20 * MIB, 0xff), 'n'.repeat(65), Buffer.alloc(4000, 0xfe), ['n'.repeat(99)]]) {
      const reply = await site.client.clear(signInLoad('..', 'x', { nonce })).catch(() => undefined)
      expect(bytesOf(field(reply, 'load')).length).toBeLessThan(100)
    }
  })

  it('cost little CPU with a message of many empty values', async () => {
    const times = 50
    const before = cpuSeconds()
    const envelope = pack({ enc: 'clear', version: 3, load: { cmd: 'nothing', x: emptyMaps(240_000) } })
    for (let i = 0; i < times; i++) await site.client.bytes(envelope).catch(() => undefined)
    expect((cpuSeconds() - before) / times).toBeLessThan(0.03)
  })

  it('forge no line of the log', async () => {
    const line = 'x\n[CRITICAL] forged line \u001b[31m'
    await site.client.bytes(pack({ enc: 'aes', load: 'x', version: 3, id: line }), 5).catch(() => undefined)
    const loads = [
      signInLoad(line, 'x'),
      { cmd: 'publish', fun: line, tgt: line, arg: [], user: line, key: 'x' },
      { cmd: 'mk_token', eauth: line, username: line },
      { cmd: line },
      { cmd: 'wheel', fun: line, token: line },
    ]
    for (const load of loads) await site.client.clear(load, 5).catch(() => undefined)
    await site.client.clear({ cmd: 'ping' }, 5, line).catch(() => undefined)
    for (const load of [
      { cmd: line },
      { cmd: '_return', jid: line, fun: line, return: 1 },
      { cmd: '_minion_event', tag: line },
    ])
      await evil.ask(load, 5).catch(() => undefined)
    const log = readFileSync(site.path('master/log/master'), 'utf8')
    expect(log).not.toMatch(/^\[CRITICAL\] forged/m)
    expect(log).not.toContain('\u001b[31m')
  })

  it('are not blocked by silent connections', async () => {
    const sockets: Socket[] = []
    for (let i = 0; i < 400; i++) {
      const socket = connect(i % 2 === 0 ? site.ports.requests : site.ports.publications, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(Buffer.of(0xff, 0, 0, 0))
      sockets.push(socket)
    }
    await Promise.all(sockets.map((socket) => (socket.connecting ? once(socket, 'connect').catch(() => undefined) : 0)))
    expect(await site.isAlive()).toBe(true)
    for (const socket of sockets) socket.destroy()
  })
})

describe('a minion', () => {
  it('fills no memory and no disk with its mine', async () => {
    const before = holds(site.cluster.pidOf('master')).memoryMiB
    const kept = sizeOf(site.cluster.cachedir)
    const part = 'x'.repeat(15 * MIB)
    for (let i = 0; i < 12; i++) await evil.ask({ cmd: '_mine', data: { [`f${i}`]: part } }).catch(() => undefined)
    expect(sizeOf(site.cluster.cachedir) - kept).toBeLessThan(100)
    const growth = (): number => holds(site.cluster.pidOf('master')).memoryMiB - before
    await until('the master lets go', () => growth() < 400, 10).catch(() => undefined)
    expect(growth()).toBeLessThan(400)
  })

  it('does not block others with many resources', async () => {
    const ids = Array.from({ length: 100_000 }, (_, i) => `r${i}`)
    const grains = Object.fromEntries(ids.map((id) => [`t:${id}`, { a: 1 }]))
    const load = { cmd: '_register_resources', resources: { t: ids }, resource_grains: grains }
    expect(await servesBeside(evil.ask(load, 60))).toBe(true)
  })
})
