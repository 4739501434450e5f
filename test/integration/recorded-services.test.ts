// External pillars, tops and drivers of sdb that ask web services which cannot be installed here: Consul, Cobbler, Foreman, NetBox and
// tISM. The answers have the form that the documents of those services give; nothing else of them is here.
import { expect, test } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { type Dict, dumpJson, fromPlain, type Plain, toPlain } from '../../src/data/mod.ts'
import { LocalHost } from '../../src/host/mod.ts'
import { masterTops } from '../../src/master/tops.ts'
import { compilePillar } from '../../src/pillar/mod.ts'
import { minion } from './minion.ts'
import { startWebService, type WebService } from './web-service.ts'

async function pillarOf(extPillar: Plain, more: Record<string, Plain> = {}, grains: Plain = {}): Promise<Plain> {
  const opts = fromPlain({ id: 'web1', cachedir: '/tmp', pillar_roots: {}, ext_pillar: extPillar, ...more }) as Dict
  const isMember = (target: unknown) => target === 'web*'
  const input = { opts, grains: fromPlain(grains) as Dict, minionId: 'web1', host: new LocalHost(), isMember }
  return JSON.parse(dumpJson((await compilePillar(input)).pillar)) as Plain
}

async function using<T>(service: WebService, use: (service: WebService) => Promise<T>): Promise<T> {
  try {
    return await use(service)
  } finally {
    service.close()
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The key store of Consul: a dict of texts. */
async function startConsul(kept: Map<string, string>): Promise<WebService> {
  return startWebService(({ method, url, body }) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const key = decodeURIComponent(pathname.replace('/v1/kv/', ''))
    if (method === 'PUT') kept.set(key, body)
    if (method === 'DELETE') kept.delete(key)
    if (method !== 'GET') return 'true'
    const found = [...kept].filter(([name]) => (searchParams.has('recurse') ? name.startsWith(key) : name === key))
    if (found.length === 0) return { status: 404 }
    const entries = found.map(([Key, value]) => ({ Key, Flags: 0, Value: value === '' ? null : base64(value) }))
    return JSON.stringify(entries)
  })
}

test('Consul keeps values of sdb', async () => {
  await using(await startConsul(new Map()), async ({ port, calls }) => {
    const salt = minion({ c: { driver: 'consul', host: '127.0.0.1', port, token: 'tok', dc: 'east' } })
    expect(await salt.call('sdb.get', ['sdb://c/app/a b'])).toBeNull()
    expect(await salt.call('sdb.set', ['sdb://c/app/a b', 'ü'])).toBe(true)
    expect(await salt.call('sdb.get', ['sdb://c/app/a b'])).toBe('ü')
    expect(await salt.call('sdb.delete', ['sdb://c/app/a b'])).toBe(true)
    expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/kv/app/a%20b?dc=east',
      'PUT /v1/kv/app/a%20b?dc=east',
      'GET /v1/kv/app/a%20b?dc=east',
      'DELETE /v1/kv/app/a%20b?dc=east',
    ])
    expect(calls[0]!.headers['x-consul-token']).toBe('tok')
  })
})

test('Consul is pillar: folders of YAML', async () => {
  const kept = new Map([
    ['salt/web1/', ''],
    ['salt/web1/a', '{x: [1]}'],
    ['salt/web1/b/c', 'true'],
    ['salt/web10/a', 'no'],
    ['role/front/z', '1'],
  ])
  await using(await startConsul(kept), async ({ port, calls }) => {
    const more = {
      con: { 'consul.host': '127.0.0.1', 'consul.port': port, 'consul.dc': { '^dev': 'east', '.*': 'west' } },
    }
    const of = (conf: string) => pillarOf([{ consul: conf }], more, { role: 'front' })
    expect(await of('con root=salt/%(minion_id)s')).toEqual({ a: { x: [1] }, b: { c: true } })
    expect(await of('con root=salt/%(minion_id)s pillar_root=p/q expand_keys=False')).toEqual({
      p: { q: { a: '{x: [1]}', b: { c: 'true' } } },
    })
    expect(await of('con root=role/%(role)s target="web*"')).toEqual({ z: 1 })
    expect(await of('con root=role/%(role)s target="db*"')).toEqual({})
    expect(calls[0]!.url).toBe('/v1/kv/salt/web1/?recurse&dc=west')
  })
})

const COBBLER = `<?xml version='1.0'?>
<methodResponse><params><param><value><struct>
<member><name>status</name><value><string>production</string></value></member>
<member><name>mgmt_classes</name><value><array><data>
<value><string>web</string></value><value>a &lt;b&gt; &#38; c</value></data></array></value></member>
<member><name>ks_meta</name><value><struct></struct></value></member>
<member><name>cpus</name><value><int>4</int></value></member>
<member><name>on</name><value><boolean>1</boolean></value></member>
<member><name>none</name><value><nil/></value></member>
<member><name>empty</name><value><array><data></data></array></value></member>
</struct></value></param></params></methodResponse>`

test('Cobbler is pillar and tops of a system', async () => {
  await using(
    await startWebService(({ body }) =>
      body.includes('<methodName>login</methodName>')
        ? '<methodResponse><params><param><value><string>token</string></value></param></params></methodResponse>'
        : COBBLER,
    ),
    async ({ url, calls }) => {
      const more = { 'cobbler.url': `${url}/cobbler_api`, 'cobbler.user': 'me', 'cobbler.password': 'p<w' }
      const all = {
        status: 'production',
        mgmt_classes: ['web', 'a <b> & c'],
        ks_meta: {},
        cpus: 4,
        on: true,
        none: null,
        empty: [],
      }
      expect(await pillarOf([{ cobbler: {} }], more)).toEqual(all)
      expect(await pillarOf([{ cobbler: { key: 'c', only: ['cpus', 'nosuch'] } }], more)).toEqual({ c: { cpus: 4 } })
      expect(calls[0]!.body).toContain('<string>p&#60;w</string>')
      expect(calls[1]!.body).toContain('<param><value><nil/></value></param><param><value><string>web1</string>')
      const opts = fromPlain({ ...more, master_tops: { cobbler: {} } }) as Dict
      const load = fromPlain({ id: 'web1', opts: {} }) as Dict
      const tops = await masterTops({ opts, host: new LocalHost(), log: silentLog }, load)
      expect(toPlain(tops)).toEqual({ production: ['web', 'a <b> & c'] })
    },
  )
})

test('Foreman is pillar of a host', async () => {
  const host = { name: 'web1', ip: '10.0.0.1', all_parameters: [{ name: 'role', value: 'web', priority: 10 }] }
  await using(await startWebService(() => JSON.stringify(host)), async ({ url, calls }) => {
    const more = { 'foreman.url': `${url}/api`, 'foreman.user': 'me', 'foreman.password': 'pw' }
    expect(await pillarOf([{ foreman: { key: 'f', only: ['ip', 'parameters'] } }], more)).toEqual({
      f: { ip: '10.0.0.1', parameters: { role: 'web' } },
    })
    expect(calls[0]).toMatchObject({
      url: '/api/hosts/web1',
      headers: { accept: 'version=2,application/json', authorization: `Basic ${base64('me:pw')}` },
    })
  })
  await using(await startWebService(() => ({ status: 404, body: '{"error": "no host"}' })), async ({ url }) => {
    expect(await pillarOf([{ foreman: {} }], { 'foreman.url': url })).toEqual({
      _errors: [`Failed to load ext_pillar foreman: ${url}/hosts/web1 answers with status 404: {"error": "no host"}`],
    })
  })
})

test('A page of NetBox is asked for by the protocol that is configured, and of no other server', async () => {
  let next = ''
  const service = await startWebService(({ url }) => {
    if (url.includes('devices')) return JSON.stringify({ next: null, results: [{ id: 7, name: 'web1' }] })
    return JSON.stringify(url.includes('offset') ? { next: null, results: [] } : { next, results: [] })
  })
  await using(service, async ({ url, calls }) => {
    const settings = {
      api_url: `${url}/api`,
      api_token: 'nb',
      site_details: false,
      site_prefixes: false,
      interfaces: true,
    }
    // the protocol of the next page is that of the servers behind a proxy
    next = `${url.replace('http:', 'https:')}/api/dcim/interfaces/?offset=1`
    expect(await pillarOf([{ netbox: settings }])).toMatchObject({ netbox: { id: 7 } })
    expect(calls.at(-1)).toMatchObject({ url: '/api/dcim/interfaces/?offset=1' })
    next = 'http://127.0.0.2:1/api/?offset=1'
    expect(JSON.stringify(await pillarOf([{ netbox: settings }]))).toContain('leads to another server')
  })
})

test('NetBox is pillar of a device, with all that is asked for', async () => {
  const pages: Record<string, object> = {
    '/api/dcim/devices/?name=web1': {
      next: null,
      results: [
        {
          id: 7,
          name: 'web1',
          site: { id: 3, name: 's' },
          platform: { id: 5 },
          primary_ip: { address: '10.0.0.1/24' },
        },
      ],
    },
    '/api/dcim/interfaces/?device_id=7': {
      next: 'BASE/api/dcim/interfaces/?device_id=7&offset=1',
      results: [{ id: 1, device: {}, name: 'eth0', connected_endpoints: [{ device: { id: 9 } }] }],
    },
    '/api/dcim/interfaces/?device_id=7&offset=1': { next: null, results: [{ id: 2, device: {}, name: 'eth1' }] },
    '/api/ipam/ip-addresses/?device_id=7': {
      next: null,
      results: [{ address: '10.0.0.1/24', assigned_object_type: 'x', assigned_object_id: 1, assigned_object: {} }],
    },
    '/api/dcim/sites/3/': { id: 3, name: 's', tags: [] },
    '/api/ipam/prefixes/?site_id=3': { next: null, results: [{ prefix: '10.0.0.0/24', site: {} }] },
    '/api/dcim/devices/9/': { id: 9, name: 'switch' },
    '/api/dcim/platforms/5/': { id: 5, napalm_driver: 'ios' },
  }
  let base = ''
  const service = await startWebService(({ url }) =>
    pages[url] ? JSON.stringify(pages[url]).replace('BASE', base) : { status: 404, body: url },
  )
  base = service.url
  await using(service, async ({ url, calls }) => {
    const settings = {
      api_url: `${url}/api/`,
      api_token: 'tok',
      interfaces: true,
      interface_ips: true,
      connected_devices: true,
      proxy_username: 'me',
    }
    expect(await pillarOf([{ netbox: settings }])).toEqual({
      netbox: {
        id: 7,
        name: 'web1',
        node_type: 'device',
        site: { id: 3, name: 's', tags: [], prefixes: [{ prefix: '10.0.0.0/24' }] },
        platform: { id: 5 },
        primary_ip: { address: '10.0.0.1/24' },
        interfaces: [
          {
            id: 1,
            name: 'eth0',
            connected_endpoints: [{ device: { id: 9 } }],
            ip_addresses: [{ address: '10.0.0.1/24' }],
          },
          { id: 2, name: 'eth1', ip_addresses: [] },
        ],
        connected_devices: { '9': { id: 9, name: 'switch' } },
      },
      proxy: { host: '10.0.0.1', driver: 'ios', proxytype: 'napalm', username: 'me' },
    })
    expect(calls.every(({ headers }) => headers['authorization'] === 'Token tok')).toBe(true)
    base = 'http://127.0.0.1:1'
    expect(await pillarOf([{ netbox: settings }])).toEqual({
      _errors: [expect.stringContaining('NetBox leads to another server')],
    })
  })
})

test('A web service answers to sdb, by a URL with values of the key', async () => {
  await using(
    await startWebService(({ url }) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    })),
    async ({ url }) => {
      const profile = {
        driver: 'rest',
        users: { url: `${url}/users/{{ user }}/keys`, params: { page: 2 } },
        plain: { url: `${url}/x` },
      }
      const salt = minion({ api: profile })
      expect(await salt.call('sdb.get', ['sdb://api/plain'])).toEqual({ url: '/x' })
      expect(await salt.call('sdb.get', ['sdb://api/users?user=ann&more=1'])).toEqual({ url: '/users/ann/keys?page=2' })
      await expect(salt.call('sdb.get', ['sdb://api/none'])).rejects.toThrow(
        "The sdb profile has no query 'none' with a url",
      )
    },
  )
})

test('tISM decrypts secrets of sdb', async () => {
  await using(
    await startWebService(({ body }) => `plain of ${(JSON.parse(body) as { encsecret: string }).encsecret}`),
    async ({ url }) => {
      const salt = minion({ t: { driver: 'tism', url, token: 'tok' } })
      expect(await salt.call('sdb.get', ['sdb://t/hQEM/A+x='])).toBe('plain of hQEM/A+x=')
    },
  )
})
