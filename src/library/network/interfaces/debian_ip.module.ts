// Interfaces, bonds and routes in the configuration of Debian's ifupdown.
import { isDict, isList, type PyError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  outputOf,
  type Result,
  reads,
  textAt,
} from '../../../sdk/mod.ts'
import { adapterOf, dialUpText } from './debian_ip/build.ts'
import { type Adapter, adapterText, FOLDER, linesOf, MAIN_FILE, readInterfaces } from './debian_ip/interfaces.ts'
import { applyNetworkSettings, buildNetworkSettings, networkSettings } from './debian_ip/network.ts'
import { bond, invalid, misused, type Settings } from './debian_ip/parts.ts'

const TYPES = ['eth', 'bond', 'alias', 'clone', 'ipsec', 'dialup', 'bridge', 'slave', 'vlan', 'pppoe', 'source']
const MODULES = '/etc/modprobe.d/'
const UP = '/etc/network/if-up.d/'
const DOWN = '/etc/network/if-down.d/'
const PEERS = '/etc/ppp/peers/'

const isDry = (settings: Settings): boolean => truthy(settings.get('test') ?? false)
const linesWithEnds = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Return the lines of a file; an empty text if the file does not exist. */
async function linesAt(ctx: FunctionContext, path: string): Promise<string[] | ''> {
  const text = await textAt(ctx.host, path)
  return text === undefined ? '' : linesWithEnds(text)
}

/** Return whether use_carrier is invalid in the mode active-backup: on Ubuntu 16 and later. */
function withoutCarrier(ctx: FunctionContext): boolean {
  const release = Number.parseInt(str(ctx.grains.get('osrelease') ?? '0'), 10)
  return ctx.grains.get('os') === 'Ubuntu' && release >= 16
}

/** Check the settings that an interface of this type must have, and install the packages it needs. */
async function prepare(ctx: FunctionContext, type: string, settings: Settings): Promise<void> {
  const need = (name: string, what: string): PyError | undefined =>
    settings.has(name) ? undefined : misused(`${name} is a required setting for ${what}`)
  const problem =
    type === 'slave'
      ? need('master', 'slave interfaces')
      : type === 'bond'
        ? need('slaves', 'bond interfaces')
        : type === 'bridge'
          ? need('ports', 'bridge interfaces on Debian or Ubuntu based systems')
          : undefined
  if (problem) throw problem
  const wanted = { vlan: 'vlan', bridge: 'bridge-utils', pppoe: 'ppp' }[type]
  if (wanted === undefined || isDry(settings)) return
  if (type === 'pppoe' && truthy(await ctx.call('pkg.version', [wanted]))) return
  await ctx.call('pkg.install', [wanted])
}

async function checkFolder(ctx: FunctionContext, path: string): Promise<void> {
  const folder = path.slice(0, path.lastIndexOf('/'))
  if ((await ctx.host.stat(folder)) === undefined) throw misused(`${folder} cannot be written.`)
}

/** Write an interface to the main file with the others, or alone to the file that its settings name. */
async function writeInterface(
  ctx: FunctionContext,
  iface: string,
  adapter: Adapter,
  settings: Settings,
): Promise<string> {
  const own = adapterText(iface, adapter)
  const filename = settings.get('filename')
  const path =
    filename === undefined ? MAIN_FILE : str(filename).startsWith('/') ? str(filename) : FOLDER + str(filename)
  await checkFolder(ctx, path)
  const all = (await readInterfaces(ctx)).set(iface, adapter)
  const text = filename === undefined ? Array.from(all, ([name, other]) => adapterText(name, other)).join('') : own
  await ctx.host.write(path, text)
  return own
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
  await prepare(ctx, type, settings)
  const adapter: Adapter =
    type === 'source'
      ? { stanzas: new Map(), sources: [str(settings.get('source') ?? '')] }
      : adapterOf(settings, { iface, type, enabled, withoutCarrier: withoutCarrier(ctx) })
  if (isDry(settings)) return linesOf(adapterText(iface, adapter))
  const text = await writeInterface(ctx, iface, adapter, settings)
  if (type === 'pppoe') {
    const options = adapter.stanzas.get('inet')?.options ?? new Map<string, Value>()
    await checkFolder(ctx, PEERS)
    await ctx.host.write(PEERS + str(options.get('provider') ?? ''), dialUpText(options))
  }
  return linesOf(text)
}

async function buildBond(ctx: FunctionContext, iface: string, settings: Settings): Promise<Result> {
  const options = [...bond(settings, iface, withoutCarrier(ctx))].map(([key, value]) => `${key}=${str(value)} `)
  const text = `alias ${iface} bonding\noptions ${iface} ${options.join('')}`
  if (isDry(settings)) return linesWithEnds(text)
  const path = `${MODULES}${iface}.conf`
  if ((await ctx.host.stat(MODULES)) === undefined)
    throw misused(`${path} cannot be written. ${MODULES} does not exist`)
  await ctx.host.write(path, text)
  await ctx.call('kmod.load', ['bonding'])
  await ctx.call('pkg.install', ['ifenslave'])
  return linesAt(ctx, path)
}

/** Return a script that adds or removes the routes of an interface. */
function routesText(verb: 'add' | 'del', iface: string, routes: readonly Value[]): string {
  const lines = routes.filter(isDict).flatMap((route) => {
    const text = (key: string, before = ''): string => {
      const value = route.get(key) ?? null
      return truthy(value) ? before + str(value) : ''
    }
    const name = text('name', '# ')
    const words = `${text('ipaddr')}${text('netmask', '/')} ${text('gateway', 'via ')} dev ${iface}${text('metric', ' metric ')}`
    return [...(name === '' ? [] : [name]), `ip route ${verb} ${words}`]
  })
  return ['#!/bin/sh', `# ${verb}`, `test "$\{IFACE}" = "${iface}" || exit 0`, ...lines]
    .map((line) => `${line}\n`)
    .join('')
}

async function buildRoutes(ctx: FunctionContext, iface: string, settings: Settings): Promise<string[]> {
  const routes = [...settings].find(([key]) => key.toLowerCase() === 'routes')?.[1]
  if (routes === undefined) {
    throw misused(`Invalid option -- Route interface: ${iface}, Option: routes, Expected: [List of routes]`)
  }
  const list = isList(routes) ? routes : []
  const files = [
    [UP, routesText('add', iface, list)],
    [DOWN, routesText('del', iface, list)],
  ] as const
  if (isDry(settings)) return linesWithEnds(files.map(([, text]) => text).join(''))
  for (const [folder, text] of files) {
    const path = `${folder}route-${iface.replaceAll('.', '_')}`
    if ((await ctx.host.stat(folder)) === undefined)
      throw misused(`${path} cannot be written. ${folder} does not exist`)
    await ctx.host.write(path, text)
    await ctx.host.chmod(path, 0o755)
  }
  return files.flatMap(([, text]) => linesWithEnds(text))
}

const iface = arg.string('Interface name')
const iface_type = arg.text('Interface type, such as eth or slave')
const settings = arg.open('Settings of the interface')
const isPassive = (type: string): boolean => type === 'slave' || type === 'source'

export default defineModule({
  name: 'debian_ip',
  virtual: 'ip',
  doc: 'Manage interfaces, bonds and routes of Debian.',
  when: ({ grains }) =>
    grains.get('os_family') === 'Debian' || 'The debian_ip module could not be loaded: unsupported OS family',
  functions: {
    build_bond: changes({
      doc: 'Configure a bond.',
      example: 'ip.build_bond bond0 mode=balance-alb',
      args: { iface, settings },
      run: (ctx, args) => buildBond(ctx, args.iface, new Map(args.settings)),
    }),
    build_interface: changes({
      doc: 'Configure an interface.',
      example: 'ip.build_interface eth0 eth proto=dhcp',
      args: {
        iface,
        iface_type: arg.string('Interface type, such as eth, bond, bridge or vlan'),
        enabled: arg.flag('Whether the interface is started at boot'),
        settings,
      },
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
      run: (ctx, args) => (isPassive(args.iface_type) ? null : outputOf(ctx, ['ifdown', args.iface])),
    }),
    up: changes({
      doc: 'Bring an interface up.',
      example: 'ip.up eth0 eth',
      args: { iface, iface_type },
      run: (ctx, args) => (isPassive(args.iface_type) ? null : outputOf(ctx, ['ifup', args.iface])),
    }),
    get_bond: reads({
      doc: 'Return the configuration of a bond.',
      example: 'ip.get_bond bond0',
      args: { iface },
      run: (ctx, args) => linesAt(ctx, `${MODULES}${args.iface}.conf`),
    }),
    get_interface: reads({
      doc: 'Return the configuration of an interface.',
      example: 'ip.get_interface eth0',
      args: { iface },
      run: async (ctx, args) => {
        const adapter = (await readInterfaces(ctx)).get(args.iface)
        return adapter ? linesOf(adapterText(args.iface, adapter)) : []
      },
    }),
    get_network_settings: reads({
      doc: 'Return the global network settings.',
      run: networkSettings,
    }),
    get_routes: reads({
      doc: 'Return the configured routes of an interface.',
      example: 'ip.get_routes eth0',
      args: { iface },
      run: async (ctx, args) => {
        const [up, down] = [
          await linesAt(ctx, `${UP}route-${args.iface}`),
          await linesAt(ctx, `${DOWN}route-${args.iface}`),
        ]
        return up === '' && down === '' ? '' : [...up, ...down]
      },
    }),
    apply_network_settings: changes({
      doc: 'Apply global network settings.',
      args: { settings },
      run: (ctx, args) => applyNetworkSettings(ctx, args.settings),
    }),
    build_network_settings: changes({
      doc: 'Configure global network settings.',
      example: 'ip.build_network_settings hostname=web',
      args: { settings },
      run: (ctx, args) => buildNetworkSettings(ctx, args.settings),
    }),
  },
})
