// What an accepted minion cannot do: act for another, or read files outside of the served ones.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Dict } from '../../src/data/mod.ts'
import { Crypticle, type MasterChannel } from '../../src/wire/mod.ts'
import { trialKeys } from '../../src/wire/trial.ts'
import { Besieged, dict } from './besieged.ts'

const CANARY = 'canary-77aa01'
let site: Besieged
let m1: MasterChannel

beforeAll(async () => {
  site = await Besieged.start({ file_recv: true, peer: { nobody: ['.*'] } })
  site.write('srv/salt/top.txt', 'served')
  site.write('srv/secret', CANARY)
  site.write('secret', CANARY)
  m1 = await site.minion('m1')
  await site.minion('m2')
})
afterAll(() => site.stop())

const ask = (load: Record<string, unknown>): Promise<unknown> => m1.send(dict(load))

describe('a minion', () => {
  it('cannot answer, report or ask as another: the proven id replaces its name', async () => {
    site.events.length = 0
    const ret = { cmd: '_return', jid: '20300101000000000001', fun: 'test.ping', return: CANARY, retcode: 0 }
    await ask({ ...ret, id: 'm2' })
    await ask({ ...ret, jid: '20300101000000000002', resource_id: 'm2' })
    await ask({ cmd: '_minion_event', tag: 'hello', data: {}, id: 'm2' })
    const forged = { tag: 'salt/job/20300101000000000003/ret/m2', data: dict({ id: 'm2', return: CANARY }) }
    await ask({ cmd: '_minion_event', events: [dict(forged)] })
    await ask({ cmd: '_minion_event', tag: forged.tag, data: {}, return: CANARY, resource_id: 'm2' })
    const names = (name: string): unknown[] =>
      site.events.map(({ data }) => data.get(name)).filter((id) => id !== undefined)
    expect(names('id').filter((id) => id !== 'm1')).toEqual([])
    expect(names('resource_id')).toEqual([])
    for (const jid of ['1', '2', '3'])
      expect(site.parts.jobs.returns(`2030010100000000000${jid}`).has('m2')).toBe(false)
    expect(site.events.some(({ tag }) => tag.endsWith('/ret/m2'))).toBe(false)
  })

  const FOREIGN = [
    'salt/job/20300101000000000004/new',
    'salt/key',
    'salt/run/1/new',
    'salt/minion/m2/start',
    'salt/beacon/m2/load/',
    'salt/job/20300101000000000004/ret/m2',
  ]

  it.each(FOREIGN)('cannot fire %s, in any form', async (tag) => {
    site.events.length = 0
    const data = dict({ id: 'm2' })
    await ask({ cmd: '_minion_event', events: [dict({ tag, data })] })
    await ask({ cmd: '_minion_event', tag, data })
    const [first, ...rest] = tag.split('/')
    await ask({ cmd: '_minion_event', pretag: first, events: [dict({ tag: rest.join('/'), data })] })
    // a reader of the event socket ends the tag at the first empty line
    await ask({ cmd: '_minion_event', tag: `${tag}\n\n\u0000`, data })
    await ask({ cmd: '_minion_event', events: [dict({ tag: `${tag}\n\n\u0000`, data })] })
    await ask({ cmd: '_return', jid: `1${tag}\n\n`, fun: 'x', return: 1, retcode: 0 })
    expect(site.events.map((event) => event.tag).filter((told) => told.startsWith(tag))).toEqual([])
  })

  it('reports about itself', async () => {
    site.events.length = 0
    await ask({ cmd: '_minion_event', tag: 'salt/minion/m1/start', data: 'x' })
    await ask({ cmd: '_minion_event', events: [dict({ tag: 'salt/beacon/m1/load/', data: dict({ id: 'm1' }) })] })
    expect(site.events.map(({ tag }) => tag)).toEqual(['salt/minion/m1/start', 'salt/beacon/m1/load/'])
  })

  it('cannot return for others as if it were a syndic', async () => {
    const jid = '20300101000000000006'
    const job = dict({ jid, fun: 'cmd.run', arg: ['id'], tgt: '*', user: 'root' })
    const one = dict({ jid, id: 'm1', fun: 'cmd.run', load: job, return: dict({ m2: dict({ return: CANARY }) }) })
    await ask({ cmd: '_syndic_return', load: [one] })
    await ask(Object.fromEntries([...one, ['cmd', '_syndic_return']]) as Record<string, unknown>)
    expect(site.parts.jobs.returns(jid).size).toBe(0)
    expect(site.parts.jobs.job(jid)).toBeUndefined()
  })

  it('cannot use the token, the session or the name of another', async () => {
    const keys = await trialKeys()
    const m2 = await site.minion('m2')
    const session = (channel: MasterChannel): Crypticle => new Crypticle(channel.credentials!.session)
    const load = { cmd: '_mine', data: dict({ stolen: true }), nonce: 'n', ts: Math.floor(Date.now() / 1000) }
    const other = keys[2]!.token()
    const own = keys[1]!.token()
    const attempts = [
      ['m1', session(m1), { ...load, id: 'm1', tok: other }],
      ['m2', session(m1), { ...load, id: 'm2', tok: own }],
      ['m1', session(m1), { ...load, id: 'm2', tok: own }],
      ['m2', session(m2), { ...load, id: 'm1', tok: own }],
      ['m1', session(m1), { ...load, id: 'm1' }],
    ] as const
    for (const [id, crypticle, inner] of attempts) {
      const message = { enc: 'aes', load: crypticle.seal(dict(inner)), version: 3, id }
      expect(await site.send(message)).toBe('bad load')
    }
    expect(site.parts.cache.bank('mine').fetch('m1')?.toString() ?? '').not.toContain('stolen')
  })

  it.each([2, 1, 2.9, '2', null, Number.NaN])(
    'cannot go back to version %s, where the key of all would do',
    async (version) => {
      const shared = new Crypticle(m1.credentials!.aes)
      const load = shared.seal(dict({ cmd: '_mine', id: 'm2', data: dict({ forged: true }), nonce: 'n' }))
      expect(await site.send({ enc: 'aes', load, version, id: 'm2' })).toBe('bad load')
      expect(inspect(site.parts.cache.bank('mine').fetch('m2'))).not.toContain('forged')
    },
  )

  it('cannot find out what is in the pillar of others by guessing', async () => {
    site.parts.cache.bank('pillar').store('m2', dict({ password: CANARY }))
    site.parts.cache.bank('mine').store('m2', dict({ 'test.ping': true }))
    const guess = (tgt_type: string, tgt: string): Promise<unknown> =>
      ask({ cmd: '_mine_get', fun: 'test.ping', tgt, tgt_type })
    for (const [kind, target] of [
      ['pillar', 'password:canary*'],
      ['pillar_pcre', 'password:canary.*'],
      ['compound', 'I@password:canary*'],
      ['compound', 'J@password:canary.*'],
    ] as const)
      expect(await guess(kind, target)).toEqual(new Map())
    expect(await guess('glob', 'm2')).toEqual(new Map([['m2', true]]))
  })

  it('cannot keep the master busy with an expression that never ends', async () => {
    await site.minion(`${'a'.repeat(60)}!`)
    for (const [kind, target] of [
      ['pcre', '(a+)+$'],
      ['compound', 'E@(a+)+$'],
    ] as const) {
      expect(await ask({ cmd: '_mine_get', fun: 'x', tgt: target, tgt_type: kind })).toEqual(new Map())
      await ask({ cmd: 'minion_pub', fun: 'test.ping', arg: [], tgt: target, tgt_type: kind, ret: '' })
      // nor can an unaccepted one
      await site.clear({
        cmd: 'publish',
        tgt: target,
        tgt_type: kind,
        fun: 'test.ping',
        arg: [],
        key: 'x',
        user: 'root',
        ret: '',
      })
    }
    expect(await site.clear({ cmd: 'ping' })).toEqual(dict({ cmd: 'ping' }))
  })

  it.each(['run_func', '_send_pub', 'constructor', '__proto__', 'hasOwnProperty'])('cannot call %s', async (cmd) => {
    expect(await ask({ cmd })).toEqual(new Map())
  })

  it('may not have others do something unless peers are configured', async () => {
    for (const cmd of ['minion_pub', 'minion_publish', 'minion_runner']) {
      await ask({ cmd, fun: 'cmd.run', arg: ['id'], tgt: '*', tgt_type: 'glob', ret: '' })
    }
    expect(site.deeds).toEqual([])
  })

  it('changes no prototype, whatever its data is called', async () => {
    const bad = new Map<unknown, unknown>([
      ['__proto__', new Map([['polluted', true]])],
      ['constructor', new Map([['prototype', new Map([['polluted', true]])]])],
    ])
    await ask({ cmd: '_minion_event', tag: 'x', data: bad })
    await ask({ cmd: '_mine', data: bad })
    await ask({ cmd: '_return', jid: '20300101000000000005', fun: 'x', return: bad, retcode: 0 })
    const pillar = { cmd: '_pillar', grains: bad, saltenv: 'base', pillarenv: null, pillar_override: bad, ver: '2' }
    await m1.sendPrivate(dict(pillar))
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

const OUTSIDE = [
  '../secret',
  '../../secret',
  '/etc/passwd',
  'salt://../secret',
  '|../secret',
  'a/../../secret',
  '..\\secret',
  '%2e%2e/secret',
  'top.txt\0/../../secret',
]

describe('the file server', () => {
  it.each(OUTSIDE)('serves nothing for %j', async (path) => {
    for (const cmd of ['_serve_file', '_file_hash', '_file_find', '_file_hash_and_stat']) {
      for (const saltenv of ['base', '..', '../..', '/', '__env__']) {
        const answer = await ask({ cmd, path, saltenv, loc: 0 })
        expect(inspect(answer, { depth: 9 })).not.toMatch(/canary|root:x:|hsum/)
        if (answer instanceof Map) expect(answer.get('path') ?? '').toBe('')
      }
    }
  })

  it('serves what is there', async () => {
    const answer = (await ask({ cmd: '_serve_file', path: 'top.txt', saltenv: 'base', loc: 0 })) as Dict
    expect(String(answer.get('data'))).toBe('served')
  })

  it.each([-1, 1e18, 0.5, Number.NaN, 'x', null])('survives the offset %s', async (loc) => {
    await ask({ cmd: '_serve_file', path: 'top.txt', saltenv: 'base', loc })
    expect(await ask({ cmd: '_file_hash', path: 'top.txt', saltenv: 'base' })).toBeInstanceOf(Map)
  })
})

describe('the receiver of files', () => {
  const push = (path: unknown, loc: unknown = 0): Promise<unknown> =>
    ask({ cmd: '_file_recv', path, loc, data: CANARY, size: 9 })

  it.each([
    [['..', 'x']],
    [['/etc/x']],
    [['a', '..', '..', 'x']],
    [['a/../../x']],
    [['..\0', 'x']],
    ['../x'],
    [[]],
    [['.']],
  ])('refuses %j', async (path) => {
    mkdirSync(`${site.cachedir}/minions`, { recursive: true })
    const before = readdirSync(`${site.cachedir}/minions`, { recursive: true }).length
    expect(await push(path)).not.toBe(true)
    expect(readdirSync(`${site.cachedir}/minions`, { recursive: true }).length).toBe(before)
  })

  it('does not follow links out of the directory of a minion', async () => {
    expect(await push(['ok.txt'])).toBe(true)
    const files = `${site.cachedir}/minions/m1/files`
    expect(readFileSync(`${files}/ok.txt`, 'utf8')).toBe(CANARY)
    mkdirSync(site.path('elsewhere'))
    symlinkSync(site.path('elsewhere'), `${files}/link`)
    symlinkSync(site.path('elsewhere', 'made'), `${files}/dangling`)
    expect(await push(['link', 'x'])).not.toBe(true)
    expect(await push(['dangling'])).not.toBe(true)
    expect(existsSync(site.path('elsewhere', 'x')) || existsSync(site.path('elsewhere', 'made'))).toBe(false)
  })
})
