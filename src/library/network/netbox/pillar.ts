// `netbox`: NetBox's data about the device or virtual machine with the minion id, by its REST API.
import { type Dict, failure, isDict, isList, str, type Value } from '../../../data/mod.ts'
import { arg, askWebJson, type Bound, defineExtPillar, type ExtPillarContext, webUrl } from '../../../sdk/mod.ts'

const ARGS = {
  api_url: arg.text('Address of the API, such as `https://netbox.example.com/api`'),
  api_token: arg.text('Token of the API', { optional: true, secret: true }),
  devices: arg.flag('Whether devices are looked for', { default: true }),
  virtual_machines: arg.flag('Whether virtual machines are looked for', { default: false }),
  interfaces: arg.flag('Whether interfaces are added', { default: false }),
  interface_ips: arg.flag('Whether the addresses of interfaces are added; needs `interfaces`', { default: false }),
  site_details: arg.flag('Whether the details of the site are added', { default: true }),
  site_prefixes: arg.flag('Whether the prefixes of the site are added', { default: true }),
  proxy_username: arg.text('User name under `proxy`', { optional: true }),
  proxy_return: arg.flag('Whether `proxy` is made for a platform with a NAPALM driver', { default: true }),
  connected_devices: arg.flag('Whether devices that are connected by cables are added', { default: false }),
  api_query_result_limit: arg.count('Results of one query; as the server says by default', { optional: true }),
}

type Settings = Bound<typeof ARGS>

/** The most pages of one list that are read. */
const MOST_PAGES = 1000

class NetBox {
  private readonly ctx: ExtPillarContext
  private readonly base: string
  private readonly settings: Settings

  constructor(ctx: ExtPillarContext, settings: Settings) {
    this.ctx = ctx
    this.settings = settings
    this.base = settings.api_url.replace(/\/+$/, '')
  }

  async one(path: string): Promise<Dict> {
    return this.asked(`${this.base}/${path}`)
  }

  private async asked(url: string): Promise<Dict> {
    // the token goes to the server that is configured, wherever a page leads, and in the way that is configured: a
    // NetBox behind a proxy may name itself with http
    const [asked, own] = [new URL(url), new URL(this.base)]
    if (asked.host !== own.host) throw failure(`NetBox leads to another server: ${url}`)
    asked.protocol = own.protocol
    const data = await askWebJson(this.ctx, {
      url: asked.href,
      headers: { Authorization: `Token ${this.settings.api_token}` },
    })
    if (!isDict(data)) throw failure(`The answer of ${url} is no mapping`)
    return data
  }

  /** Return all results of a list, page after page. */
  async list(path: string, query: Readonly<Record<string, string>>): Promise<Dict[]> {
    const limit = this.settings.api_query_result_limit
    const words = new URLSearchParams({ ...query, ...(limit && { limit: String(limit) }) })
    const found: Dict[] = []
    let next: Value = `${this.base}/${path}?${words.toString()}`
    for (let page = 0; typeof next === 'string' && page < MOST_PAGES; page++) {
      const answer: Dict = await this.asked(next)
      const results = answer.get('results') ?? []
      if (isList(results)) found.push(...results.filter(isDict))
      next = answer.get('next') ?? null
    }
    return found
  }
}

interface Kind {
  type: 'device' | 'virtual-machine'
  app: string
  list: string
  param: string
  field: string
}

const DEVICE: Kind = { type: 'device', app: 'dcim', list: 'devices', param: 'device_id', field: 'device' }
const MACHINE: Kind = {
  type: 'virtual-machine',
  app: 'virtualization',
  list: 'virtual-machines',
  param: 'virtual_machine_id',
  field: 'virtual_machine',
}

const idOf = (data: Value | undefined): string => (data !== undefined && isDict(data) ? str(data.get('id') ?? '') : '')

async function findNode(api: NetBox, { minionId }: ExtPillarContext, settings: Settings): Promise<[Dict, Kind]> {
  const kinds = [...(settings.devices ? [DEVICE] : []), ...(settings.virtual_machines ? [MACHINE] : [])]
  const found: Array<[Dict, Kind]> = []
  for (const kind of kinds) {
    for (const node of await api.list(`${kind.app}/${kind.list}/`, { name: minionId })) {
      found.push([node.set('node_type', kind.type), kind])
    }
  }
  if (found.length > 1) throw failure(`More than one node found for "${minionId}"`)
  if (found.length === 0) throw failure(`Unable to pull NetBox data for "${minionId}"`)
  return found[0]!
}

async function interfacesOf(api: NetBox, node: Dict, kind: Kind, withAddresses: boolean): Promise<Dict[]> {
  const own = { [kind.param]: idOf(node) }
  const interfaces = await api.list(`${kind.app}/interfaces/`, own)
  for (const each of interfaces) each.delete(kind.field)
  if (!withAddresses || interfaces.length === 0) return interfaces
  const addresses = await api.list('ipam/ip-addresses/', own)
  for (const each of interfaces) {
    const assigned = addresses.filter((address) => str(address.get('assigned_object_id') ?? '') === idOf(each))
    for (const address of assigned) {
      for (const name of ['assigned_object_type', 'assigned_object_id', 'assigned_object']) address.delete(name)
    }
    each.set('ip_addresses', assigned)
  }
  return interfaces
}

async function connectedTo(api: NetBox, interfaces: readonly Dict[]): Promise<Dict> {
  const devices: Dict = new Map()
  for (const each of interfaces) {
    const ends = each.get('connected_endpoints') ?? []
    for (const end of isList(ends) ? ends.filter(isDict) : []) {
      const device = end.get('device') ?? null
      const id = isDict(device) ? (device.get('id') ?? null) : null
      if (id !== null && !devices.has(id)) devices.set(id, await api.one(`dcim/devices/${str(id)}/`))
    }
  }
  return devices
}

async function addSite(api: NetBox, node: Dict, settings: Settings): Promise<void> {
  const id = idOf(node.get('site'))
  if (id === '') return
  const site = settings.site_details ? await api.one(`dcim/sites/${id}/`) : (node.get('site') as Dict)
  node.set('site', site)
  if (!settings.site_prefixes) return
  const prefixes = await api.list('ipam/prefixes/', { site_id: id })
  for (const each of prefixes) each.delete('site')
  site.set('prefixes', prefixes)
}

/** Return `proxy` of a platform with a NAPALM driver. */
async function proxyOf(api: NetBox, ctx: ExtPillarContext, node: Dict, settings: Settings): Promise<Dict | undefined> {
  const address = node.get('primary_ip') ?? null
  const platform = idOf(node.get('platform'))
  if (platform === '' || !isDict(address)) {
    const lacks = platform === '' ? 'platform' : 'primary IPv4 or IPv6 address'
    const text = `You have set "proxy_return" to "True" but you have not set the ${lacks} in NetBox for "${ctx.minionId}"`
    ctx.log('error', text)
    return undefined
  }
  const driver = (await api.one(`dcim/platforms/${platform}/`)).get('napalm_driver') ?? null
  if (driver === null || driver === '') return undefined
  const proxy: Dict = new Map<Value, Value>([
    ['host', str(address.get('address') ?? '').replace(/\/\d+$/, '')],
    ['driver', driver],
    ['proxytype', 'napalm'],
  ])
  return settings.proxy_username ? proxy.set('username', settings.proxy_username) : proxy
}

export default defineExtPillar({
  name: 'netbox',
  doc: 'The data that NetBox has of the device or virtual machine with the id of the minion, under `netbox`.',
  args: ARGS,
  run: async (ctx, settings) => {
    if (ctx.minionId === '*') return new Map()
    if (!settings.api_token) throw failure('The value for api_token is not set')
    if (!settings.devices && !settings.virtual_machines) {
      throw failure('At least one of devices or virtual_machines must be True')
    }
    const wantsInterfaces = settings.interfaces || settings.connected_devices
    if (settings.interface_ips && !wantsInterfaces) {
      throw failure('The value for interfaces must be True if interface_ips is True')
    }
    webUrl(settings.api_url, 'The setting api_url of ext_pillar netbox')
    const api = new NetBox(ctx, settings)
    const [node, kind] = await findNode(api, ctx, settings)
    const interfaces = wantsInterfaces ? await interfacesOf(api, node, kind, settings.interface_ips) : []
    if (wantsInterfaces) node.set('interfaces', interfaces)
    await addSite(api, node, settings)
    if (settings.connected_devices) node.set('connected_devices', await connectedTo(api, interfaces))
    const data: Dict = new Map([['netbox', node]])
    const proxy = settings.proxy_return ? await proxyOf(api, ctx, node, settings) : undefined
    return proxy ? data.set('proxy', proxy) : data
  },
})
