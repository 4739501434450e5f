import { describe, expect, it } from 'vitest'
import { masterDefaults } from '../config/mod.ts'
import { type Dict, fromPlain, type Plain } from '../data/mod.ts'
import { checkServer } from './nats.ts'
import { Seal } from './seal.ts'
import { clusterSettings } from './settings.ts'

const SECRET = 'a secret that is long enough'

function settings(more: Record<string, Plain>): ReturnType<typeof clusterSettings> {
  const opts: Dict = masterDefaults()
  const given = { cluster_id: 'trio', cluster_secret: SECRET, cachedir: '/var/cache/salt', id: 'm1', ...more }
  for (const [name, value] of Object.entries(given)) opts.set(name, fromPlain(value))
  return clusterSettings(opts)
}

describe('the settings of a cluster', () => {
  it('are the same on all masters but for the own place', () => {
    const masters = ['10.0.0.1', '10.0.0.2', '10.0.0.3']
    const [first, second] = masters.map((address) => settings({ cluster_masters: masters, interface: address }))
    expect(first).toMatchObject({ address: '10.0.0.1', members: masters, member: '10_0_0_1' })
    expect(second!.servers).toEqual(['10.0.0.2:4521', '10.0.0.1:4521', '10.0.0.3:4521'])
    expect(second!.supervised!.routes).toEqual(['10.0.0.1:4520', '10.0.0.3:4520'])
    expect(first!.sealKey).toEqual(second!.sealKey)
    expect(first!.tls).toMatchObject({ servername: 'trio.brine-cluster', ca: '/var/cache/salt/cluster/nats/ca.pem' })
    expect(settings({ cluster_peers: ['10.0.0.2', '10.0.0.3'], interface: '10.0.0.1' }).members).toEqual(masters)
  })

  it('name the option that is wrong', () => {
    const peers = { cluster_masters: ['10.0.0.1'], interface: '10.0.0.1' }
    expect(() => settings({ ...peers, cluster_secret: 'short' })).toThrow(
      /Option 'cluster_secret'.* at least 16 characters/,
    )
    expect(() => settings({ ...peers, cluster_id: 'a.b' })).toThrow(/Option 'cluster_id'/)
    expect(() => settings({ ...peers, cluster_nats: { server: 'x' } })).toThrow(/unknown field 'server'.*servers/)
    expect(() => settings({ ...peers, cluster_nats: { tls: true } })).toThrow(/'tls', which is for NATS servers under/)
    expect(() => settings({ cluster_masters: ['192.0.2.1'] })).toThrow(
      /None of the masters of the cluster is this one: 192.0.2.1/,
    )
  })

  it('use the servers of the site if they are configured', () => {
    const nats = { servers: ['n1:4222'], user: 'u', password: 'p', tls: { ca: '/ca.pem' } }
    const found = settings({ cluster_masters: ['10.0.0.1'], interface: '10.0.0.1', cluster_nats: nats })
    expect(found).toMatchObject({
      supervised: undefined,
      servers: ['n1:4222'],
      login: { user: 'u', pass: 'p' },
      isSyncSure: false,
      tls: { ca: '/ca.pem' },
    })
  })
})

describe('a server', () => {
  it('is refused when it is too old, and warned of when it may not sync', () => {
    const lines: string[] = []
    const log = (_level: string, text: string): void => void lines.push(text)
    expect(() => checkServer({ name: 'n', version: '2.10.22', maxPayload: 64 << 20 }, true, log)).toThrow(
      /2.10.23 is needed/,
    )
    expect(() => checkServer({ name: 'n', version: '2.9.25', maxPayload: 64 << 20 }, true, log)).toThrow()
    for (const version of ['2.10.23', '2.11.0', '2.12.1-dev', '3.0.0'])
      checkServer({ name: 'n', version, maxPayload: 64 << 20 }, true, log)
    expect(lines).toEqual([])
    checkServer({ name: 'n', version: '2.11.0', maxPayload: 64 << 20 }, false, log)
    expect(lines).toEqual([expect.stringContaining('can lose jobs that were acknowledged')])
  })
})

describe('a sealed message', () => {
  it('opens only with the secret and at its place', () => {
    const seal = new Seal(Buffer.alloc(32, 1))
    const closed = seal.close(Buffer.from('text'), 'here')
    expect(seal.open(closed, 'here').toString()).toBe('text')
    expect(() => seal.open(closed, 'there')).toThrow(/cluster_secret differs/)
    expect(() => new Seal(Buffer.alloc(32, 2)).open(closed, 'here')).toThrow(/cluster_secret differs/)
  })
})
