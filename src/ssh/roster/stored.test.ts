// Rosters from data that other programs store: the master's cache, salt-cloud's cache and Terraform's state.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { encodeMsgpack, fromPlain, toPlain } from '../../data/mod.ts'
import { fileCache, PkiKeys } from '../../store/mod.ts'
import { rosterTargets } from './mod.ts'
import { type RosterSite, rosterSite } from './roster.test-support.ts'

describe('the cache roster', () => {
  const GRAINS = {
    m1: { ipv4: ['127.0.0.1', '10.0.0.9', '10.0.0.5', '8.8.8.8'], ipv6: ['::1', 'fe80::1'], fqdn: 'm1.example' },
    m2: { ipv4: ['127.0.0.1'], ipv6: ['fd00::2', '2a00::2'] },
    m3: { ipv4: ['127.0.0.1'] },
  }

  function cacheSite(options: Record<string, unknown> = {}): {
    site: RosterSite
    found: (tgt: string, kind?: string) => Promise<Record<string, unknown>>
  } {
    const site = rosterSite({}, { roster: 'cache', ...options })
    const cache = fileCache(site.path('cache'))
    for (const [id, grains] of Object.entries(GRAINS)) {
      site.write(`pki/minions/${id}`, 'key')
      cache.bank('grains').store(id, fromPlain(grains))
      cache.bank('pillar').store(id, fromPlain({ ssh: { user: `u-${id}` } }))
    }
    cache.bank('mine').store('m1', fromPlain({ 'network.ip_addrs': ['10.1.1.1'] }))
    const keys = new PkiKeys(site.path('pki'))
    const found = async (tgt: string, kind = 'glob') => {
      const entries = await rosterTargets({ ...site.request(tgt, kind), cache, keys })
      return Object.fromEntries(entries.map(({ id, settings }) => [id, toPlain(settings)]))
    }
    return { site, found }
  }

  it('prefers private and IPv6 addresses', async () => {
    const { site, found } = cacheSite()
    expect(await found('*')).toEqual({ m1: { host: '10.0.0.5' }, m2: { host: 'fd00::2' } })
    expect(site.lines).toEqual(['warning Could not determine host information for minion m3'])
    expect(await found('ssh:user:u-m2', 'pillar')).toEqual({ m2: { host: 'fd00::2' } })
  })

  it('takes settings from where roster_order says', async () => {
    const { found } = cacheSite({
      roster_defaults: { port: 2200 },
      vault: { driver: 'env' },
      roster_order: {
        host: [{ grain: ['nosuch', 'fqdn'] }, '2000::/3', 'local'],
        user: [{ pillar: 'ssh:user' }],
        thin_dir: { mine: 'network.ip_addrs:0' },
        priv: 'sdb://vault/HOME',
      },
    })
    const priv = process.env['HOME']
    expect(await found('*')).toEqual({
      m1: { port: 2200, host: 'm1.example', user: 'u-m1', thin_dir: '10.1.1.1', priv },
      m2: { port: 2200, host: '2a00::2', user: 'u-m2', priv },
      m3: { port: 2200, host: '127.0.0.1', user: 'u-m3', priv },
    })
  })

  it('names a wrong word of roster_order', async () => {
    const { site, found } = cacheSite({ roster_order: { host: ['ipv5-private'] } })
    expect(await found('m1')).toEqual({})
    expect(site.lines).toEqual(['error Invalid filter ipv5-private specified in roster_order'])
  })
})

describe('the cloud roster', () => {
  it('has the machines of salt-cloud with the login of their provider and profile', async () => {
    const site = rosterSite(
      {
        cloud: 'ssh_username: admin\n',
        'cloud.profiles.d/p.conf': 'small:\n  provider: ec2\n  private_key: /keys/small\n  ssh_username: vm\n',
        'cloud.providers.d/p.conf': 'ec2:\n  driver: ec2\n  private_key: /keys/ec2\n  sudo: true\n  ssh_password: pw\n',
      },
      { roster: 'cloud' },
    )
    const store = (id: string, value: unknown): void => {
      const file = site.path(`cloud-cache/active/ec2/ec2/${id}.p`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, encodeMsgpack(fromPlain(value), 'bus'))
    }
    site.write('cloud', `ssh_username: admin\ncachedir: ${site.path('cloud-cache')}\n`)
    store('vm1', { profile: 'small', public_ips: ['8.8.4.4'], private_ips: ['10.0.0.4'] })
    store('vm2', { profile: null, public_ips: [], private_ips: '10.0.0.5' })
    store('vm3', { profile: null, public_ips: [] })
    expect(await site.settings('*')).toEqual({
      vm1: { host: '8.8.4.4', user: 'vm', passwd: 'pw', priv: '/keys/ec2', sudo: true },
      vm2: { host: '10.0.0.5', user: 'admin', passwd: 'pw', priv: '/keys/ec2', sudo: true },
    })
    expect(site.lines.filter((line) => !line.startsWith('debug'))).toEqual([
      `warning ${site.path('cloud-cache/active/ec2/ec2/vm3.p')} is left out: it has no IPv4 address`,
    ])
    site.opts.set('roster_order', ['private', 'public'])
    expect(await site.settings('vm1')).toMatchObject({ vm1: { host: '10.0.0.4' } })
  })

  it('may have no cache', async () => {
    const site = rosterSite({}, { roster: 'cloud' })
    expect(await site.ids('*')).toEqual([])
    const line = site.lines.find((one) => !one.startsWith('debug'))
    expect(line).toContain(`Can't access roster for backend cloud: [Errno 2] No such file or directory`)
  })
})

describe('the terraform roster', () => {
  const tfSite = (state: unknown, name = 'terraform.tfstate') => {
    const site = rosterSite(
      { [name]: typeof state === 'string' ? state : JSON.stringify(state) },
      { roster: 'terraform' },
    )
    site.opts.set('roster_file', site.path(name))
    return site
  }

  it('has the salt_host resources of a state', async () => {
    const attributes = {
      salt_id: 'db',
      host: '10.0.0.1',
      user: 'root',
      port: '22',
      sudo: false,
      timeout: null,
      passwd: '',
    }
    const site = tfSite({
      version: 4,
      resources: [
        {
          type: 'salt_host',
          instances: [{ attributes }, { attributes: { salt_id: 'web', host: 'w', minion_opts: { a: 1 } } }],
        },
        { type: 'aws_instance', instances: [{ attributes: { salt_id: 'no', host: 'x' } }] },
      ],
    })
    expect(await site.settings('*')).toEqual({
      db: { host: '10.0.0.1', user: 'root', port: 22, sudo: false },
      web: { host: 'w', minion_opts: { a: 1 } },
    })
    expect(site.lines).toEqual([])
  })

  it('reads states of old versions', async () => {
    const primary = { attributes: { salt_id: 'db', host: '10.0.0.1' } }
    const site = tfSite({ modules: [{ resources: { 'salt_host.db': { type: 'salt_host', primary } } }] })
    expect(await site.settings('d*')).toEqual({ db: { host: '10.0.0.1' } })
  })

  it('refuses other files', async () => {
    for (const [site, text] of [
      [tfSite('{}', 'x.json'), 'can only be used with terraform state files'],
      [tfSite('{}'), 'it has neither resources nor modules'],
      [tfSite('{nope'), 'Malformed tfstate file'],
    ] as const) {
      expect(await site.ids('*')).toEqual([])
      expect(site.lines[0]).toContain(text)
    }
  })
})
