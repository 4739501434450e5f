// Interfaces, bonds and routes as Debian's ifupdown is configured.
import { isDict, type PyError, str, truthy, type Value } from '../../../data/mod.ts'
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

/** The lines of a file; an empty text where there is none. */
async function linesAt(ctx: FunctionContext, path: string): Promise<string[] | ''> {
  const text = await textAt(ctx.host, path)
  return text === undefined ? '' : linesWithEnds(text)
}

/** Ubuntu since 16 does not take the setting in its mode of a backup. */
function withoutCarrier(ctx: FunctionContext): boolean {
  const release = Number.parseInt(str(ctx.grains.get('osrelease') ?? '0'), 10)
  return ctx.grains.get('os') === 'Ubuntu' && release >= 16
}

/** What an interface of this type must have, and the packages it needs. */
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

/** Puts an interface among the others, or alone into the file that its settings name. */
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
  const text = filename === undefined ? Array.from(all, ([name, one]) => adapterText(name, one)).join('') : own
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

/** A script that sets or removes the routes of an interface. */
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
  const list = Array.isArray(routes) ? (routes as Value[]) : []
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

const iface = arg.string('The interface')
const iface_type = arg.any('Its type')
const settings = arg.open('Its settings')
const passive = (type: Value): boolean => type === 'slave' || type === 'source'

export default defineModule({
  name: 'debian_ip',
  virtual: 'ip',
  doc: 'Interfaces, bonds and routes of Debian.',
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
      args: { iface, iface_type: arg.string('Its type'), enabled: arg.any('Whether it is up at boot'), settings },
      run: (ctx, args) => buildInterface(ctx, args.iface, args.iface_type, truthy(args.enabled), args.settings),
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
      run: (ctx, args) => (passive(args.iface_type) ? null : outputOf(ctx, ['ifdown', args.iface])),
    }),
    up: changes({
      doc: 'Bring an interface up.',
      example: 'ip.up eth0 eth',
      args: { iface, iface_type },
      run: (ctx, args) => (passive(args.iface_type) ? null : outputOf(ctx, ['ifup', args.iface])),
    }),
    get_bond: reads({
      doc: 'The configuration of a bond.',
      example: 'ip.get_bond bond0',
      args: { iface },
      run: (ctx, args) => linesAt(ctx, `${MODULES}${args.iface}.conf`),
    }),
    get_interface: reads({
      doc: 'The configuration of an interface.',
      example: 'ip.get_interface eth0',
      args: { iface },
      run: async (ctx, args) => {
        const adapter = (await readInterfaces(ctx)).get(args.iface)
        return adapter ? linesOf(adapterText(args.iface, adapter)) : []
      },
    }),
    get_network_settings: reads({
      doc: 'Settings of the whole machine.',
      example: 'ip.get_network_settings',
      args: {},
      run: networkSettings,
    }),
    get_routes: reads({
      doc: 'The configured routes of an interface.',
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
      doc: 'Put settings of the whole machine into force.',
      example: 'ip.apply_network_settings',
      args: { settings },
      run: (ctx, args) => applyNetworkSettings(ctx, args.settings),
    }),
    build_network_settings: changes({
      doc: 'Configure the whole machine.',
      example: 'ip.build_network_settings hostname=web',
      args: { settings },
      run: (ctx, args) => buildNetworkSettings(ctx, args.settings),
    }),
  },
})
