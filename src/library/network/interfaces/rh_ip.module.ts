// Interfaces and routes in the configuration of Red Hat's network scripts.
import { type Dict, isDict, isList, splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, outputOf, reads, textAt } from '../../../sdk/mod.ts'
import { invalid, isNo, isYes, misused, type Settings } from './debian_ip/parts.ts'
import { validated } from './debian_ip/validators.ts'
import { interfaceText, networkText, routesText } from './rh_ip/files.ts'
import { interfaceSettings, networkSettings } from './rh_ip/settings.ts'

const FOLDER = '/etc/sysconfig/network-scripts'
const NETWORK = '/etc/sysconfig/network'
const TYPES = 'eth bond team alias clone ipsec dialup bridge slave teamport vlan ipip ib'.split(' ')
const WRITTEN = 'eth bond team teamport bridge slave vlan ipip ib alias'.split(' ')

const isDry = (settings: Settings): boolean => truthy(settings.get('test') ?? false)

/** Return the lines without the first empty one. */
function linesOf(text: string): string[] {
  const lines = splitLines(text)
  const empty = lines.indexOf('')
  return empty < 0 ? lines : lines.toSpliced(empty, 1)
}

const linesAt = async (ctx: FunctionContext, path: string): Promise<string[]> =>
  linesOf((await textAt(ctx.host, path)) ?? '')

async function write(ctx: FunctionContext, name: string, text: string): Promise<void> {
  const path = `${FOLDER}/${name}`
  if ((await ctx.host.stat(FOLDER)) === undefined) throw misused(`${path} cannot be written. ${FOLDER} does not exist`)
  await ctx.host.write(path, text)
}

/** Check and complete the settings that an interface of this type must have. */
function complete(type: string, settings: Settings): void {
  const master = settings.get('master')
  if (type === 'slave') {
    settings.set('slave', 'yes')
    if (master === undefined) throw misused('master is a required setting for slave interfaces')
  }
  if (type === 'bond') {
    const mode = settings.get('mode')
    if (mode === undefined) throw misused('mode is required for bond interfaces')
    settings.set('mode', str(mode))
  }
  if (type === 'teamport') {
    const team = settings.get('team_master') ?? master
    if (team === undefined) {
      throw misused('master or team_master is a required setting for teamport interfaces')
    }
    settings.delete('master')
    settings.set('team_master', team)
  }
  if (type === 'vlan') settings.set('vlan', 'yes')
}

const BRIDGE_FILTERS = ['ip6tables', 'iptables', 'arptables'].map((name) => `net.bridge.bridge-nf-call-${name}`)

/** Install the packages that a type needs, and set whether the packet filter sees the traffic of a bridge. */
async function prepare(ctx: FunctionContext, iface: string, type: string, settings: Settings): Promise<void> {
  const wanted = { bridge: 'bridge-utils', team: 'teamd' }[type]
  if (wanted === undefined || isDry(settings)) return
  if (!truthy(await ctx.call('pkg.version', [wanted]))) await ctx.call('pkg.install', [wanted])
  if (type !== 'bridge') return
  const bypass = settings.get('bypassfirewall') ?? true
  if (!isYes(bypass) && !isNo(bypass)) {
    throw invalid(iface, bypass, ['yes', 'on', 'true', '1', true, 'no', 'off', 'false', '0', false])
  }
  for (const name of BRIDGE_FILTERS) await ctx.call('sysctl.persist', [name, isYes(bypass) ? 0 : 1])
}

async function buildInterface(
  ctx: FunctionContext,
  iface: string,
  given: string,
  enabled: boolean,
  kwargs: Settings,
): Promise<string[]> {
  const type = given.toLowerCase()
  if (!TYPES.includes(type)) throw invalid(iface, type, TYPES)
  const settings: Settings = new Map(kwargs)
  complete(type, settings)
  await prepare(ctx, iface, type, settings)
  if (!WRITTEN.includes(type)) throw misused(`Interfaces of type ${type} cannot be written`)
  const shown = (await ctx.call('network.interfaces')).get(iface)
  const text = interfaceText(
    interfaceSettings(settings, {
      iface,
      type,
      enabled,
      processors: Number(ctx.grains.get('num_cpus') ?? 1),
      release: Number(ctx.grains.get('osmajorrelease') ?? 8),
      address: shown !== undefined && isDict(shown) ? shown.get('hwaddr') : undefined,
    }),
  )
  if (isDry(settings)) return linesOf(text)
  await write(ctx, `ifcfg-${iface}`, text)
  return linesAt(ctx, `${FOLDER}/ifcfg-${iface}`)
}

async function buildRoutes(ctx: FunctionContext, iface: string, settings: Settings): Promise<string[]> {
  const routes = [...settings].find(([key]) => key.toLowerCase() === 'routes')?.[1]
  if (routes === undefined) {
    throw misused(`Invalid option -- Route interface: ${iface}, Option: routes, Expected: [List of routes]`)
  }
  const all = (isList(routes) ? routes : []).filter(isDict)
  const isV6 = (route: Dict): boolean => validated('address', route.get('ipaddr') ?? null, 'inet6') !== undefined
  const [v4, v6] = [
    routesText(
      all.filter((route) => !isV6(route)),
      iface,
    ),
    routesText(all.filter(isV6), iface),
  ]
  if (isDry(settings)) return [...linesOf(v4), ...linesOf(v6)]
  await write(ctx, `route-${iface}`, v4)
  await write(ctx, `route6-${iface}`, v6)
  return routesOf(ctx, iface)
}

const routesOf = async (ctx: FunctionContext, iface: string): Promise<string[]> => [
  ...(await linesAt(ctx, `${FOLDER}/route-${iface}`)),
  ...(await linesAt(ctx, `${FOLDER}/route6-${iface}`)),
]

async function buildNetwork(ctx: FunctionContext, settings: Settings): Promise<string[]> {
  const pairs = (await linesAt(ctx, NETWORK)).flatMap((line): [string, Value][] => {
    const at = line.indexOf('=')
    if (at < 0 || /^\s*[!#]/.test(line)) return []
    return [[line.slice(0, at).trim().toUpperCase(), line.slice(at + 1).trimEnd()]]
  })
  const text = networkText(networkSettings(settings, new Map(pairs)))
  if (isDry(settings)) return linesOf(text)
  await ctx.host.write(NETWORK, text)
  return linesAt(ctx, NETWORK)
}

async function applySettings(ctx: FunctionContext, settings: Settings): Promise<boolean> {
  let named = true
  if (isYes(settings.get('apply_hostname') ?? false)) {
    const name = settings.get('hostname')
    named = name !== undefined && truthy(await ctx.call('network.mod_hostname', [name]))
  }
  if (isYes(settings.get('require_reboot') ?? false)) return named
  const service = Number(ctx.grains.get('osmajorrelease') ?? 8) >= 8 ? 'NetworkManager' : 'network'
  return named && truthy(await ctx.call('service.restart', [service]))
}

const iface = arg.string('Interface name')
const iface_type = arg.string('Interface type, such as eth, bond, bridge or vlan')
const settings = arg.open('Settings of the interface')
const isPassive = (type: string): boolean => ['slave', 'teamport'].includes(type.toLowerCase())

export default defineModule({
  name: 'rh_ip',
  virtual: 'ip',
  doc: 'Manage interfaces and routes of Red Hat and related systems.',
  when: ({ grains }) => {
    const isOldAmazon = grains.get('os') === 'Amazon' && Number(grains.get('osmajorrelease')) < 2
    return (
      (grains.get('os_family') === 'RedHat' && !isOldAmazon) ||
      'The rh_ip execution module cannot be loaded: this module is only available on RHEL/Fedora based distributions.'
    )
  },
  functions: {
    build_interface: changes({
      doc: 'Configure an interface.',
      example: 'ip.build_interface eth0 eth True proto=dhcp',
      args: { iface, iface_type, enabled: arg.flag('Whether the interface is started at boot'), settings },
      run: (ctx, args) => buildInterface(ctx, args.iface, args.iface_type, args.enabled, args.settings),
    }),
    build_routes: changes({
      doc: 'Configure the routes of an interface.',
      example: "ip.build_routes eth0 routes='[{ipaddr: 10.0.0.0, netmask: 24}]'",
      args: { iface, settings },
      run: (ctx, args) => buildRoutes(ctx, args.iface, args.settings),
    }),
    down: changes({
      doc: 'Take an interface down.',
      example: 'ip.down eth0 eth',
      args: { iface, iface_type },
      run: (ctx, args) => (isPassive(args.iface_type) ? null : outputOf(ctx, `ifdown ${args.iface}`)),
    }),
    up: changes({
      doc: 'Bring an interface up.',
      example: 'ip.up eth0 eth',
      args: { iface, iface_type },
      run: (ctx, args) => (isPassive(args.iface_type) ? null : outputOf(ctx, `ifup ${args.iface}`)),
    }),
    get_interface: reads({
      doc: 'Return the configuration of an interface.',
      example: 'ip.get_interface eth0',
      args: { iface },
      run: (ctx, args) => linesAt(ctx, `${FOLDER}/ifcfg-${args.iface}`),
    }),
    get_routes: reads({
      doc: 'Return the configured routes of an interface.',
      example: 'ip.get_routes eth0',
      args: { iface },
      run: (ctx, args) => routesOf(ctx, args.iface),
    }),
    get_network_settings: reads({
      doc: 'Return the global network settings.',
      run: (ctx) => linesAt(ctx, NETWORK),
    }),
    apply_network_settings: changes({
      doc: 'Apply global network settings.',
      args: { settings },
      run: (ctx, args) => applySettings(ctx, args.settings),
    }),
    build_network_settings: changes({
      doc: 'Configure global network settings.',
      example: 'ip.build_network_settings hostname=web',
      args: { settings },
      run: (ctx, args) => buildNetwork(ctx, args.settings),
    }),
  },
})
