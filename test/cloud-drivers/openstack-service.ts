// An OpenStack of the tests: Keystone, Nova, Neutron, Glance and Cinder with answers in the shapes of their documents.
import { type Asked, type Json, type Listener, type Provider, Reply } from './listener.ts'

export const PASSWORD = 'correct horse'
export const SECRET = 'credential of the app'
export const IMAGE = '70a599e0-31e7-49b7-b260-868f441e862b'

interface Server extends Json {
  id: string
  name: string
  status: string
  metadata: Json
}

export class OpenStackService {
  private readonly listener: Listener
  readonly tokens = new Set<string>()
  logins: Json[] = []
  readonly servers = new Map<string, Server>()
  readonly volumes = new Map<string, Json>()
  readonly floating = new Map<string, Json>()
  /** The last request of a server. */
  requested: Json = {}
  /** The fault that ends the next server. */
  fault: string | undefined
  /** Whether servers are never ready. */
  isSlow = false
  /** Networks from which a router leads to machines. */
  reachable = ['net-public']
  /** The address of each machine in its own network. */
  fixed = '10.0.0.5'
  private count = 0

  constructor(listener: Listener) {
    this.listener = listener
  }

  readonly answer: Provider = (asked) => {
    if (asked.path === '/identity/v3/auth/tokens') return this.logIn(asked.body)
    if (!this.tokens.has(String(asked.headers['x-auth-token']))) {
      return new Reply(401, { error: { code: 401, message: 'The request you have made requires authentication.' } })
    }
    const [, service, rest] =
      /^\/(compute\/v2\.1|network\/v2\.0|image\/v2|volume\/v3\/p1)(\/.*)$/.exec(asked.path) ?? []
    const inside = { ...asked, path: rest ?? '' }
    if (service === 'compute/v2.1') return this.compute(inside)
    if (service === 'network/v2.0') return this.network(inside)
    if (service === 'image/v2') return this.image(inside)
    return service === 'volume/v3/p1' ? this.volume(inside) : undefined
  }

  private logIn(body: Json): Reply {
    this.logins.push(body)
    const { identity } = body['auth'] as {
      identity: { methods: string[]; password?: Json; application_credential?: Json }
    }
    const user = identity.password?.['user'] as Json | undefined
    const mayEnter =
      identity.methods[0] === 'token' ||
      user?.['password'] === PASSWORD ||
      identity.application_credential?.['secret'] === SECRET
    if (!mayEnter)
      return new Reply(401, {
        error: { code: 401, title: 'Unauthorized', message: 'The request you have made requires authentication.' },
      })
    const id = `gAAAAA-${this.logins.length}`
    this.tokens.add(id)
    const { url } = this.listener
    const entry = (type: string, path: string): Json => ({
      type,
      endpoints: [
        { interface: 'admin', region: 'RegionOne', url: 'http://127.0.0.1:1/' },
        { interface: 'public', region: 'RegionOne', region_id: 'RegionOne', url: `${url}${path}` },
      ],
    })
    const catalog = [
      entry('compute', '/compute/v2.1'),
      entry('network', '/network'),
      entry('image', '/image'),
      entry('volumev3', '/volume/v3/p1'),
    ]
    return new Reply(201, { token: { catalog, expires_at: '2026-11-19T00:00:00.000000Z' } }, { 'x-subject-token': id })
  }

  private compute({ method, path, query, body }: Asked): Json | Reply | undefined {
    if (path === '/flavors/detail')
      return {
        flavors: [
          { id: '1', name: 'm1.tiny', ram: 512, vcpus: 1 },
          { id: '2', name: 'm1.small', ram: 2048, vcpus: 1 },
        ],
      }
    if (path === '/os-availability-zone')
      return { availabilityZoneInfo: [{ zoneName: 'nova', zoneState: { available: true } }] }
    if (path === '/os-keypairs') return { keypairs: [{ keypair: { name: 'ops', fingerprint: '35:9d' } }] }
    if (path === '/os-server-groups')
      return { server_groups: [{ id: 'group-1', name: 'apart', policies: ['anti-affinity'] }] }
    if (path === '/servers' && method === 'POST') return this.makeServer(body)
    if (path === '/servers/detail') return this.page(query)
    const [, id, rest] = /^\/servers\/([\w-]+)(\/.*)?$/.exec(path) ?? []
    const server = this.servers.get(id ?? '')
    if (server === undefined)
      return new Reply(404, { itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } })
    if (method === 'DELETE') {
      this.servers.delete(server.id)
      for (const one of this.floating.values())
        if (one['port_id'] === `port-${server.id}`) Object.assign(one, { port_id: null, status: 'DOWN' })
      for (const one of this.volumes.values())
        if (one['server'] === server.id) Object.assign(one, { status: 'available' })
      return new Reply(204)
    }
    if (rest === '/action') {
      const action = Object.keys(body)[0]!
      server.status = action === 'os-stop' ? 'SHUTOFF' : 'ACTIVE'
      return new Reply(202)
    }
    if (rest === '/os-volume_attachments') {
      const volume = this.volumes.get(String((body['volumeAttachment'] as Json)['volumeId']))!
      Object.assign(volume, { status: 'in-use', server: server.id })
      return { volumeAttachment: body['volumeAttachment'] }
    }
    if (server.status === 'BUILD' && !this.isSlow) server.status = this.fault ? 'ERROR' : 'ACTIVE'
    return { server: this.fault ? { ...server, fault: { message: this.fault, code: 500 } } : this.shown(server) }
  }

  private makeServer(body: Json): Json | Reply {
    this.requested = body
    const wanted = body['server'] as Json
    if (wanted['key_name'] === 'none')
      return new Reply(400, { badRequest: { code: 400, message: 'Invalid key_name provided.' } })
    const id = `server-${++this.count}`
    const image = wanted['imageRef'] ? { id: wanted['imageRef'] } : ''
    const server = {
      id,
      name: String(wanted['name']),
      status: 'BUILD',
      metadata: wanted['metadata'] as Json,
      image,
      flavor: { id: wanted['flavorRef'] },
    }
    this.servers.set(id, server)
    for (const device of (wanted['block_device_mapping_v2'] ?? []) as Json[]) {
      Object.assign(this.volumes.get(String(device['uuid']))!, { status: 'in-use', server: id })
    }
    return new Reply(202, { server: { id, adminPass: 'made up by Nova', links: [] } })
  }

  private shown(server: Server): Json {
    const floating = [...this.floating.values()].filter((one) => one['port_id'] === `port-${server.id}`)
    const row = (addr: unknown, type: string): Json => ({ addr, version: 4, 'OS-EXT-IPS:type': type })
    const addresses = {
      private: [row(this.fixed, 'fixed'), ...floating.map((one) => row(one['floating_ip_address'], 'floating'))],
    }
    return { ...server, addresses }
  }

  /** Lists have two servers on a page. */
  private page(query: URLSearchParams): Json {
    const name = query.get('name')
    const all = [...this.servers.values()].filter((one) => name === null || new RegExp(name).test(one.name))
    const first = all.findIndex(({ id }) => id === query.get('marker')) + 1
    const rows = all.slice(first, first + 2)
    const href = `${this.listener.url}/compute/v2.1/servers/detail?marker=${rows.at(-1)?.id}`
    const links = first + 2 < all.length ? { servers_links: [{ rel: 'next', href }] } : {}
    return { servers: rows.map((one) => this.shown(one)), ...links }
  }

  private network({ method, path, query, body }: Asked): Json | Reply | undefined {
    if (path === '/networks') {
      const networks = [
        { id: 'net-public', name: 'public', 'router:external': true },
        { id: 'net-1', name: 'inside', 'router:external': false },
      ]
      return { networks: query.has('router:external') ? networks.slice(0, 1) : networks }
    }
    if (path === '/subnets')
      return { subnets: [{ id: 'subnet-1', network_id: query.get('network_id'), cidr: '10.0.0.0/24' }] }
    if (path === '/security-groups') return { security_groups: [{ id: 'sg-1', name: 'default' }] }
    if (path === '/ports')
      return {
        ports: [{ id: `port-${query.get('device_id')}`, network_id: 'net-1', fixed_ips: [{ ip_address: this.fixed }] }],
      }
    if (path === '/floatingips' && method === 'POST') return this.allocate(body['floatingip'] as Json)
    if (path === '/floatingips') {
      const [status, address] = [query.get('status'), query.get('floating_ip_address')]
      const rows = [...this.floating.values()].filter(
        (one) => (!status || one['status'] === status) && (!address || one['floating_ip_address'] === address),
      )
      return { floatingips: rows }
    }
    const id = /^\/floatingips\/([\w-]+)$/.exec(path)?.[1] ?? ''
    const found = this.floating.get(id)
    if (found === undefined) return undefined
    if (method === 'DELETE') {
      this.floating.delete(id)
      return new Reply(204)
    }
    Object.assign(found, body['floatingip'], { status: 'ACTIVE' })
    return { floatingip: found }
  }

  private allocate({ floating_network_id, ...rest }: Json): Json | Reply {
    if (!this.reachable.includes(String(floating_network_id))) {
      return new Reply(404, {
        NeutronError: {
          type: 'ExternalGatewayForFloatingIPNotFound',
          message: 'External network is not reachable from subnet.',
          detail: '',
        },
      })
    }
    const floatingip = this.addFloating(`198.41.0.${this.floating.size + 10}`, { ...rest, status: 'ACTIVE' })
    return new Reply(201, { floatingip })
  }

  addFloating(address: string, more: Json = {}): Json {
    const row = {
      id: `fip-${++this.count}`,
      floating_network_id: 'net-public',
      floating_ip_address: address,
      port_id: null,
      status: 'DOWN',
      description: '',
      ...more,
    }
    this.floating.set(row.id, row)
    return row
  }

  private image({ path, query }: Asked): Json | undefined {
    const images = [
      { id: IMAGE, name: 'debian-12' },
      { id: 'image-2', name: 'twice' },
      { id: 'image-3', name: 'twice' },
    ]
    if (path === '/images') {
      if (query.get('marker') === 'image-2') return { images: images.slice(2) }
      const found = images.filter(({ name }) => !query.has('name') || name === query.get('name'))
      return query.has('name') ? { images: found } : { images: found.slice(0, 2), next: '/v2/images?marker=image-2' }
    }
    return images.find(({ id }) => path === `/images/${id}`)
  }

  private volume({ method, path, body }: Asked): Json | Reply | undefined {
    if (path === '/volumes' && method === 'POST') {
      const id = `volume-${++this.count}`
      const volume = { id, status: 'creating', ...(body['volume'] as Json) }
      this.volumes.set(id, volume)
      return new Reply(202, { volume })
    }
    if (path === '/volumes/detail') return { volumes: [...this.volumes.values()] }
    const id = /^\/volumes\/([\w-]+)$/.exec(path)?.[1] ?? ''
    const volume = this.volumes.get(id)
    if (volume === undefined) return undefined
    if (method === 'DELETE') {
      this.volumes.delete(id)
      return new Reply(202)
    }
    if (volume['status'] === 'creating') volume['status'] = 'available'
    return { volume }
  }
}
