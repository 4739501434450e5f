// How a hostile minion can change the meaning of targets by its data, and the value of rights on a target when the
// master does not know the minions.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Dict, isDict, type Value } from '../../src/data/mod.ts'
import { resolveTarget } from '../../src/match/mod.ts'
import type { MasterChannel } from '../../src/wire/mod.ts'
import { Besieged, dict } from './besieged.ts'

let site: Besieged
let sent: Dict[]
afterEach(async () => {
  vi.restoreAllMocks()
  await site.stop()
})

const USERS = {
  auto: {
    webby: [{ 'G@role:web': ['.*'] }],
    nonDb: [{ 'not G@role:db': ['.*'] }],
    netty: [{ 'S@10.0.0.0/8': ['.*'] }],
    globby: [{ 'web*': ['.*'] }],
  },
}

async function open(options: Record<string, unknown> = {}): Promise<void> {
  site = await Besieged.start({ external_auth: USERS, ...options })
  sent = []
  vi.spyOn(site.parts.publications, 'publish').mockImplementation(async (load) => {
    sent.push(load)
    return { keyId: '', packet: new Uint8Array() }
  })
}

/** A minion whose grains the master has seen. The answer with its pillar is of no interest. */
async function minion(id: string, grains?: Record<string, unknown>): Promise<MasterChannel> {
  const channel = await site.minion(id)
  if (grains) await channel.send(dict({ cmd: '_pillar', id, grains: dict(grains), saltenv: 'base' })).catch(() => null)
  return channel
}

const register = (who: MasterChannel, id: string, resources: Record<string, string[]>, grains = {}): Promise<unknown> =>
  who.send(dict({ cmd: '_register_resources', id, resources: dict(resources), resource_grains: dict(grains) }))

const publish = (username: string, tgt: Value, more: Record<string, unknown> = {}): Promise<Value> =>
  site.clear({
    ...{ cmd: 'publish', tgt, tgt_type: 'list', fun: 'cmd.run', arg: ['id'], ret: '', jid: '', user: 'x' },
    kwargs: dict({ eauth: 'auto', username, password: 'x' }),
    ...more,
  })

const isRefused = (answer: Value): boolean => isDict(answer) && answer.has('error')

const meant = (target: string): string[] => resolveTarget(site.parts, target, 'compound').minions

describe('a resource under the name of a minion', () => {
  it('gives that minion no grains once its key is accepted', async () => {
    await open()
    await register(await minion('evil'), 'evil', { t: ['db2'] }, { 't:db2': dict({ role: 'web' }) })
    await minion('db2', { role: 'db' })
    expect(meant('G@role:web')).toEqual([])
    expect(isRefused(await publish('webby', ['db2']))).toBe(true)
    expect(sent).toEqual([])
  })

  it('does not bring a limited user to minions of lower masters', async () => {
    await open({ order_masters: true })
    await register(await minion('evil'), 'evil', { t: ['below1'] }, { 't:below1': dict({ role: 'web' }) })
    await publish('webby', ['below1'])
    expect(sent).toEqual([])
  })
})

describe('a right on a target that asks for data', () => {
  it.each(['webby', 'nonDb', 'netty'])('of %s is no right on a minion that the master has not seen', async (user) => {
    await open()
    await minion('db1')
    expect(isRefused(await publish(user, ['db1']))).toBe(true)
    expect(sent).toEqual([])
  })

  it.each(['webby', 'nonDb', 'netty'])('of %s is no right at all where no data is kept', async (user) => {
    await open({ minion_data_cache: false })
    await minion('db1', { role: 'db', ipv4: ['192.0.2.1'] })
    expect(isRefused(await publish(user, ['db1']))).toBe(true)
    expect(sent).toEqual([])
  })

  it('holds for minions whose data fits', async () => {
    await open()
    await minion('web1', { role: 'web', ipv4: ['10.0.0.1'] })
    for (const user of ['webby', 'nonDb', 'netty']) expect(isRefused(await publish(user, ['web1']))).toBe(false)
    expect(sent).toHaveLength(3)
  })
})

it('membership in a group that asks for data is nobody’s where no data is kept', async () => {
  await open({
    minion_data_cache: false,
    nodegroups: { admins: 'G@role:admin' },
    ext_pillar: [{ nodegroups: { pillar_name: 'groups' } }],
  })
  await minion('web1', { role: 'web' })
  const { minionPillar } = await import('../../src/pillar/mod.ts')
  const { LocalHost } = await import('../../src/host/mod.ts')
  const pillar = await minionPillar(site.parts, new LocalHost(), { id: 'web1', grains: dict({ role: 'web' }) })
  expect(pillar.get('groups')).toEqual([])
})

it.each([['x'], ['10.0.0.300'], [null], [['a']], [{}]])(
  'a minion with the address %j spoils no target of others',
  async (address) => {
    await open()
    await minion('web1', { ipv4: ['10.0.0.1'] })
    await minion('evil', { ipv4: [address] })
    expect(meant('S@10.0.0.0/8')).toEqual(['web1'])
    expect(meant('not S@10.0.0.0/8')).toEqual(['evil'])
  },
)

it.each([null, 5])('a minion with %j for addresses spoils no target of others', async (ipv4) => {
  await open()
  await minion('web1', { ipv4: ['10.0.0.1'] })
  await minion('evil', { ipv4 })
  expect(meant('S@10.0.0.1')).toEqual(['web1'])
})

it('a type with a colon does not replace the grains of another minion’s resource', async () => {
  await open()
  const name = 'ssh:2001:db8::1'
  await register(await minion('db1'), 'db1', { ssh: ['2001:db8::1'] }, { [name]: dict({ role: 'db' }) })
  await register(await minion('evil'), 'evil', { 'ssh:2001:db8:': ['1'] }, { [name]: dict({ role: 'web' }) })
  expect(meant('G@role:db')).toEqual(['2001:db8::1'])
  expect(meant('G@role:web')).toEqual([])
})

it('a minion with resources does not take the rights on it from users', async () => {
  await open()
  await register(await minion('web1'), 'web1', { t: ['switch1'] })
  expect(isRefused(await publish('globby', 'web*', { tgt_type: 'glob' }))).toBe(false)
  expect(sent[0]?.get('tgt')).toEqual(['web1', 'switch1'])
})
