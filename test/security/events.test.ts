// The origin of an event cannot be forged: not by a minion, a syndic, a user of external authentication, or an outside
// sender.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Origin } from '../../src/bus/mod.ts'
import { BusClient, fireOnce, masterBusPaths, minionOrigin, syndicOrigin } from '../../src/bus/mod.ts'
import { collectReturns } from '../../src/client/mod.ts'
import { type Dict, toPlain } from '../../src/data/mod.ts'
import type { MasterChannel } from '../../src/wire/mod.ts'
import { load as loadYaml } from '../../src/yaml/mod.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'

const JID = '20300101000000000001'
const JOB = '20300101000000000077'

/** The rules of docs/reactor.md, with their files below the site. */
function documentedRules(folder: string): unknown {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reactor.md'), 'utf8')
  const [, block] = /```yaml\n(reactor:\n[^`]*origin: minion:build\*[^`]*)```/.exec(page)!
  return (toPlain(loadYaml(block!.replaceAll('/srv/reactor', folder))) as { reactor: unknown }).reactor
}

let site: Besieged
let evil: MasterChannel
const ask = (load: Record<string, unknown>): Promise<unknown> => evil.send(dict(load))
const one = (fields: Record<string, unknown>): Dict => dict(fields)

/** Tags with their origins since the last look. */
const fired = (): Array<[string, Origin]> => site.events.splice(0).map(({ tag, origin }) => [tag, origin])

beforeAll(async () => {
  site = await Besieged.start((path) => ({
    reactor: [
      ...(documentedRules(path('srv/reactor')) as unknown[]),
      { 'salt/auth': [path('srv/reactor/accept.sls')] },
      { 'salt/key': [path('srv/reactor/accept.sls')] },
    ],
    peer_run: { evil: ['event.send', 'batch.stop'] },
    external_auth: { sharedsecret: { ann: ['@runner'] } },
    sharedsecret: 'secret',
  }))
  const call = (id: string, tag: string): string =>
    `${id}:\n  runner.event.send:\n    - args:\n      - tag: ${tag}\n      - data: {}\n`
  site.write('srv/reactor/accept.sls', call('accept', 'reacted/accept'))
  site.write('srv/reactor/roll-out.sls', call('out', 'reacted/{{ origin.kind }}/{{ origin.name }}/{{ origin.proof }}'))
  site.write('srv/reactor/stop.sls', call('stop', 'reacted/stop'))
  evil = await site.minion('evil')
  await site.minion('db1')
})
afterAll(() => site.stop())
beforeEach(() => void site.events.splice(0))

describe('an accepted minion', () => {
  const OF_OTHERS = [
    'salt/auth',
    'salt/key',
    'salt/presence/present',
    `salt/batch/${JID}/stop`,
    `salt/job/${JID}/ret/evil`,
    `salt/job/${JID}/ret/db1`,
    `salt/job/${JID}/prog/db1/0`,
    'salt/minion/db1/start',
    'salt/reactors/manage/add',
    `salt/wheel/${JID}`,
    'salt/stats/db1',
    'minion/refresh/db1',
    'key',
    JID,
  ]

  it.each(OF_OTHERS)('cannot fire %s by events, lists of them, failed states or a runner', async (tag) => {
    const claim = { id: 'db1', act: 'pend', result: false, return: 'FORGED', fun: 'test.ping', jid: JID, pretag: null }
    await ask({ cmd: '_minion_event', tag, data: one(claim) })
    await ask({ cmd: '_minion_event', events: [one({ tag, data: one(claim) })] })
    await ask({ cmd: '_minion_event', events: [one({ tag: `${tag}/`, data: one(claim) })], pretag: 'syndic/evil' })
    await ask({ cmd: '_minion_event', events: [one({ tag, data: one(claim) })], pretag: 'syndic/db1' })
    await ask({ cmd: 'minion_runner', fun: 'event.send', arg: [tag, one(claim)] })
    const states = { [tag]: one(claim), [`${tag}_|-a_|-b_|-${tag}`]: one(claim) }
    await ask({ cmd: '_return', jid: 'req', fun: 'state.apply', retcode: 1, success: false, return: one(states) })
    await ask({ cmd: '_return', jid: `1/${tag}`, fun: 'test.ping', retcode: 0, return: true })
    const all = fired()
    // a state function of such a name would be called so, with a dot
    const forged = all.filter(([own, origin]) => origin.kind !== 'master' && own !== `${tag}.${tag}`)
    expect(forged).toEqual([])
    expect(all.filter(([own]) => own === tag || own.startsWith(`${tag}/`))).toEqual([])
  })

  it('brings about no reaction that a tag of the master would', async () => {
    await ask({ cmd: '_minion_event', events: [one({ tag: 'salt/auth', data: one({ act: 'pend', id: 'evil' }) })] })
    await ask({ cmd: '_minion_event', events: [one({ tag: 'deploy/done', data: one({ id: 'build1' }) })] })
    // an event after those is answered after those
    site.parts.bus.fire('salt/key', dict({ act: 'x' }))
    await until('the master reacts to its own event', () => site.events.some(({ tag }) => tag === 'reacted/accept'))
    expect(site.events.map(({ tag }) => tag).filter((tag) => tag.startsWith('reacted/'))).toEqual(['reacted/accept'])
  })

  it('is identified by its proof, whatever its data claim', async () => {
    await ask({ cmd: '_minion_event', tag: 'deploy/x', data: one({ id: 'db1' }), id: 'db1', origin: 'master' })
    await ask({ cmd: '_minion_event', events: [one({ tag: 'minion_start', data: one({ id: 'db1' }) })] })
    await ask({ cmd: '_minion_event', events: [one({ tag: 'salt/beacon/evil/x/', data: one({ id: 'db1' }) })] })
    const failed = { 'file_|-a_|-b_|-managed': one({ result: false, id: 'db1' }) }
    await ask({ cmd: '_return', jid: JID, fun: 'state.apply', retcode: 1, return: one(failed) })
    const own = site.events.filter(({ origin }) => origin.kind === 'minion')
    expect(own.map(({ tag }) => tag)).toEqual(['deploy/x', 'minion_start', 'salt/beacon/evil/x/', 'file.managed'])
    expect(own.map(({ origin }) => origin)).toEqual(Array(4).fill(minionOrigin('evil')))
    expect(own.map(({ data }) => data.get('id'))).toEqual(Array(4).fill('evil'))
  })

  it('still fires what is its own or free, under its name', async () => {
    const tags = ['salt/custom/x', 'myapp/deploy', `salt/job/${JID}/prog/evil/0`, `salt/state_result/${JID}/evil/x`]
    for (const tag of tags) await ask({ cmd: '_minion_event', tag, data: one({}) })
    await ask({ cmd: 'minion_runner', fun: 'event.send', arg: ['by/a/runner', one({})] })
    expect(fired().filter(([tag]) => !tag.startsWith('salt/run/'))).toEqual(
      [...tags, 'by/a/runner'].map((tag) => [tag, minionOrigin('evil')]),
    )
  })

  it('returns for no other to who gathers returns', async () => {
    const tap = await BusClient.open({ paths: masterBusPaths(site.parts.opts) })
    const published = { jid: JOB, minions: ['db1'], missing: [] }
    const gathering = (async () => {
      const all = []
      const times = { timeout: 60, gatherJobTimeout: 1 }
      for await (const { data } of collectReturns(tap, async () => undefined, published, times)) all.push(data)
      return all
    })()
    const claim = { id: 'db1', jid: JOB, fun: 'cmd.run', return: 'FORGED', retcode: 0, success: true }
    await ask({ cmd: '_minion_event', events: [one({ tag: `salt/job/${JOB}/ret/evil`, data: one(claim) })] })
    await ask({ cmd: '_return', ...claim })
    await ask({ cmd: '_return', ...claim, resource_id: 'db1' })
    const db1 = await site.minion('db1')
    await db1.send(dict({ cmd: '_return', ...claim, return: 'true answer' }))
    const [first] = await gathering
    expect(first?.get('return')).toBe('true answer')
    tap.close()
  })

  it('returns for no resource but those it has registered', async () => {
    const ret = { cmd: '_return', fun: 'test.ping', retcode: 0, return: 'FORGED', resource_id: 'newhost' }
    await ask({ ...ret, jid: JID })
    expect([...site.parts.jobs.returns(JID).keys()]).not.toContain('newhost')
    await ask({ cmd: '_register_resources', resources: one({ dummy: ['newhost'] }) })
    await ask({ ...ret, jid: JOB })
    expect([...site.parts.jobs.returns(JOB).keys()]).toContain('newhost')
    const db1 = await site.minion('db1')
    await db1.send(dict({ cmd: '_register_resources', resources: one({ dummy: ['newhost'] }) }))
    await db1.send(dict({ ...ret, jid: `${JOB}_1` }))
    expect([...site.parts.jobs.returns(`${JOB}_1`).keys()]).toEqual(['db1'])
  })

  it('speaks for nobody below it where the master has no syndics', async () => {
    const events = [one({ tag: 'salt/minion/below1/start', data: one({ id: 'below1' }) })]
    await ask({ cmd: '_minion_event', events, pretag: 'syndic/evil' })
    expect(fired()).toEqual([])
  })
})

describe('a batch', () => {
  it('is not stopped by a minion, but by a program of its master', async () => {
    const key = readFileSync(join(site.cachedir, '.root_key'), 'utf8').trim()
    const load = { cmd: 'batch', tgt: '*', fun: 'test.ping', arg: [], minions: ['db1'], batch: '1', timeout: 60 }
    await site.clear({ ...load, key, user: 'root', jid: JID })
    const halted = (): string[] => fired().flatMap(([tag]) => (tag.endsWith('/halted') ? [tag] : []))
    const stop = { tag: `salt/batch/${JID}/stop`, data: one({ reason: 'cancelled by evil' }) }
    await ask({ cmd: '_minion_event', events: [one(stop)] })
    // even where such an event came to the bus
    site.parts.bus.fireFrom(minionOrigin('evil'), stop.tag, new Map())
    expect(halted()).toEqual([])
    await fireOnce(masterBusPaths(site.parts.opts), stop.tag, new Map())
    await until('the batch is halted', () => halted().length === 1)
  })
})

describe('a user of external authentication', () => {
  const send = async (tag: string): Promise<void> => {
    const credentials = { eauth: 'sharedsecret', username: 'ann', sharedsecret: 'secret' }
    const answer = (await site.clear({ cmd: 'runner', fun: 'event.send', arg: [tag, one({})], ...credentials })) as Dict
    await until('the run ends', () => site.events.some((event) => event.tag === `${answer.get('tag')}/ret`))
  }

  it('fires free tags in that name, and none of the master', async () => {
    await send('myapp/deploy')
    expect(site.events.find(({ tag }) => tag === 'myapp/deploy')?.origin).toEqual({
      kind: 'user',
      name: 'ann',
      proof: 'eauth',
    })
    for (const tag of ['salt/key', `salt/batch/${JID}/stop`, 'salt/minion/db1/start']) await send(tag)
    expect(site.events.map(({ tag }) => tag)).not.toContain('salt/key')
    const ends = site.events.filter(({ tag }) => /^salt\/run\/\d+\/ret$/.test(tag))
    expect(ends.map(({ data }) => data.get('success'))).toEqual([true, false, false, false])
  })
})

describe('rules with a condition on the origin, as documented', () => {
  it('answer only these, and their files see the origin', async () => {
    const build1 = await site.minion('build1')
    for (const channel of [evil, build1])
      await channel.send(dict({ cmd: '_minion_event', tag: 'deploy/x', data: one({}) }))
    await evil.send(dict({ cmd: '_minion_event', tag: 'deploy/stop', data: one({}) }))
    await fireOnce(masterBusPaths(site.parts.opts), 'deploy/stop', new Map())
    const reacted = (): string[] =>
      site.events.map(({ tag }) => tag).filter((tag) => /^reacted\/(minion|user|stop|master)/.test(tag))
    await until('both are answered', () => reacted().length >= 2)
    expect(reacted().sort()).toEqual(['reacted/minion/build1/session', 'reacted/stop'])
  })
})

describe('a syndic', () => {
  let top: Besieged
  let syndic: MasterChannel
  beforeAll(async () => {
    top = await Besieged.start({ order_masters: true })
    syndic = await top.minion('syn1')
    await top.minion('db1')
  })
  afterAll(() => top.stop())

  it('passes on what those below it fired, under its name, and nothing of this master or its minions', async () => {
    top.events.length = 0
    const events = [
      one({ tag: 'myapp/x', data: one({ a: 1 }) }),
      one({ tag: 'salt/minion/below1/start', data: one({ id: 'below1' }) }),
      ...['salt/auth', 'salt/key', `salt/job/${JID}/new`, 'salt/minion/db1/start'].map((tag) =>
        one({ tag, data: one({ id: 'db1' }) }),
      ),
    ]
    await syndic.send(dict({ cmd: '_minion_event', events, pretag: 'syndic/syn1' }))
    const seen = top.events.map(({ tag, origin }) => [tag, origin])
    const both = ['myapp/x', 'salt/minion/below1/start'].flatMap((tag) => [`syndic/syn1/${tag}`, tag])
    const marked = ['salt/auth', 'salt/key', `salt/job/${JID}/new`, 'salt/minion/db1/start'].map(
      (tag) => `syndic/syn1/${tag}`,
    )
    expect(seen).toEqual([...both, ...marked].map((tag) => [tag, syndicOrigin('syn1')]))
  })

  it('returns for those below it, and for nobody who has a key here', async () => {
    const returned = one({ below1: one({ return: 1, retcode: 0 }), db1: one({ return: 'FORGED', retcode: 0 }) })
    const job = one({ jid: JID, fun: 'test.ping', tgt: '*', user: 'root' })
    const returns = one({ jid: JID, id: 'syn1', fun: 'test.ping', return: returned, load: job })
    await syndic.send(dict({ cmd: '_syndic_return', load: [returns] }))
    expect([...top.parts.jobs.returns(JID).keys()]).toEqual(['below1'])
    expect(top.parts.jobs.job(JID)?.minions).toEqual(['below1'])
    const hostile = new Map(returns).set('jid', '1/ret/db1\n\n')
    await syndic.send(dict({ cmd: '_syndic_return', load: [hostile] }))
    expect(top.events.some(({ tag }) => tag.includes('db1\n'))).toBe(false)
  })
})
