// Addresses, interfaces, networks and routes of this machine.
import {
  type Dict,
  ipAddress,
  PyError,
  repr,
  splitWords,
  str,
  textOf,
  truthy,
  typeName,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  type Result,
  type Returns,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { connect, namesOf, sanitizeHost } from './module/connection.ts'
import { arpTable, bufferSizes, setBuffers, wake } from './module/hardware.ts'
import { setHostname } from './module/hostname.ts'
import { chosen, type Family, interfaces, ipAddresses } from './module/interfaces.ts'
import { calcNet, convertCidr, inSubnet, networks, reversePointer, subnets } from './module/networks.ts'
import { defaultRoutes, routes, routeTo } from './module/routes.ts'
import { connections, sockets } from './module/sockets.ts'
import { traceroute } from './module/traceroute.ts'

const asking = <A extends Record<string, Arg<unknown>>, R extends Result = Result>(
  doc: string,
  args: A,
  run: (
    ctx: FunctionContext,
    args: { [K in keyof A]: A[K] extends Arg<infer T> ? T : never },
  ) => NoInfer<R> | Promise<NoInfer<R>>,
  returns?: Returns<R>,
) => reads({ doc, args, returns: returns ?? ret.any('The answer'), run })

/** What an interface has, or which ones there are when it is not among them. */
async function ofInterface(ctx: FunctionContext, name: string, pick: (entry: Dict) => Value): Promise<Value> {
  const all = await interfaces(ctx)
  const entry = all.get(name)
  if (entry instanceof Map) return pick(entry)
  const names = [...all.keys()].map((known) => str(known)).join('", "')
  const refusal = `Interface "${name}" not in available interfaces: "${names}"`
  ctx.log('error', refusal)
  return refusal
}

interface AddressChoice {
  interface: Value
  include_loopback: boolean
  cidr: Value
  type?: Value
}

async function addresses(ctx: FunctionContext, family: Family, choice: AddressChoice): Promise<string[]> {
  const found = ipAddresses(chosen(await interfaces(ctx), choice.interface), family, choice.include_loopback)
  if (truthy(choice.cidr)) {
    const inside = await Promise.all(found.map((address) => inSubnet(ctx, choice.cidr, [address])))
    return found.filter((_, i) => inside[i])
  }
  if (choice.type === 'public') return found.filter((address) => !ipAddress(address).isPrivate)
  if (choice.type === 'private') return found.filter((address) => ipAddress(address).isPrivate)
  return found
}

async function neighbours(ctx: FunctionContext, mark: '.' | ':'): Promise<Dict> {
  const found: Dict = new Map()
  for (const line of (await ctx.call('cmd.run', ['ip neigh show'])).split('\n')) {
    const words = splitWords(line)
    if (words.length >= 5 && words[0]!.includes(mark)) found.set(words[4]!, words[0]!)
  }
  return found
}

async function ping(ctx: FunctionContext, host: string, timeout: Value, asBoolean: boolean): Promise<Value> {
  const wait = truthy(timeout) ? `-W ${str(timeout)} ` : ''
  const command = `ping ${wait}-c 4 ${sanitizeHost(host)}`
  if (!asBoolean) return ctx.call('cmd.run', [command])
  const outcome = await ctx.call('cmd.run_all', [command])
  return outcome instanceof Map && outcome.get('retcode') === 0
}

/** The name with its domain: what the system resolves the host name to. */
async function fullName(ctx: FunctionContext): Promise<string> {
  try {
    const { stdout, retcode } = await ctx.host.run({ argv: ['hostname', '-f'] })
    const name = Buffer.from(stdout).toString().trim()
    if (retcode === 0 && name !== '') return name
  } catch (error) {
    ctx.log('debug', `hostname -f: ${String(error)}`)
  }
  return ctx.host.hostname()
}

async function startingWith(ctx: FunctionContext, beginning: Value): Promise<Value[]> {
  const found: Value[] = []
  for (const [name, entry] of await interfaces(ctx)) {
    const inet = entry instanceof Map ? entry.get('inet') : undefined
    for (const fact of Array.isArray(inet) ? (inet as Dict[]) : []) {
      if (str(fact.get('address')!).startsWith(str(beginning))) found.push(fact.get('label') ?? name)
    }
  }
  return found
}

function hexadecimal(ip: Value): string {
  const text = textOf(ip)
  if (text === undefined) throw new PyError('AttributeError', `'${typeName(ip)}' object has no attribute 'split'`)
  const parts = text.split('.')
  const odd = parts.find((part) => !/^\s*[+-]?\d+\s*$/.test(part))
  if (odd !== undefined) throw valueError(`invalid literal for int() with base 10: ${repr(odd)}`)
  return parts.map((part) => Number(part).toString(16).toUpperCase().padStart(2, '0')).join('')
}

const iface = arg.text('The name of the interface')
const ip_addr = arg.any('The address')
const cidr = arg.any('The network, as address/prefix')
const family = arg.any('inet or inet6', { optional: true })
const none = {}
const selection = {
  interface: arg.any('Names of interfaces; globs are allowed', { optional: true }),
  include_loopback: arg.boolean('Whether loopback addresses count', { default: false }),
}
const within = arg.any('Only those in this network', { optional: true })
const wholeNetworks = { ...selection, verbose: arg.boolean('Details of each', { default: false }) }

const hw_addr = asking('The hardware address of an interface.', { iface }, (ctx, { iface }) =>
  ofInterface(ctx, iface, (entry) => entry.get('hwaddr') ?? ''),
)
const ip_addrs = asking(
  'The IPv4 addresses of this machine.',
  { ...selection, cidr: within, type: arg.any('Only `public` or only `private` ones', { optional: true }) },
  (ctx, choice) => addresses(ctx, 'inet', choice),
  ret.texts('The addresses'),
)
const ip_addrs6 = asking(
  'The IPv6 addresses of this machine.',
  { ...selection, cidr: within },
  (ctx, choice) => addresses(ctx, 'inet6', choice),
  ret.texts('The addresses'),
)
const ip_neighs = asking('IPv4 neighbours.', none, (ctx) => neighbours(ctx, '.'))
const ip_neighs6 = asking('IPv6 neighbours.', none, (ctx) => neighbours(ctx, ':'))

export default defineModule({
  name: 'network',
  doc: 'Look at the network, and calculate with addresses.',
  functions: {
    ping: asking(
      'Send four echo requests to a host.',
      {
        host: arg.string('The host'),
        timeout: arg.any('Seconds to wait', { default: false }),
        return_boolean: arg.boolean('Only whether it answers', { default: false }),
      },
      (ctx, { host, timeout, return_boolean }) => ping(ctx, host, timeout, return_boolean),
    ),
    interfaces: asking('All interfaces with their addresses.', none, interfaces, ret.dict('The facts, by interface')),
    hw_addr,
    hwaddr: hw_addr,
    interface: asking('The IPv4 addresses of an interface, in detail.', { iface }, (ctx, { iface }) =>
      ofInterface(ctx, iface, (entry) => entry.get('inet') ?? ''),
    ),
    interface_ip: asking('The first IPv4 address of an interface.', { iface }, (ctx, { iface }) =>
      ofInterface(ctx, iface, (entry) => {
        const inet = entry.get('inet')
        return Array.isArray(inet) && inet.length > 0 ? ((inet[0] as Dict).get('address') ?? '') : ''
      }),
    ),
    subnets: asking(
      'The IPv4 networks this machine is on.',
      { interfaces: arg.any('An interface, or a list', { optional: true }) },
      (ctx, args) => subnets(ctx, 'inet', args.interfaces),
    ),
    subnets6: asking('The IPv6 networks this machine is on.', none, (ctx) => subnets(ctx, 'inet6', null)),
    in_subnet: asking('Whether this machine is on a network.', { cidr }, (ctx, { cidr }) => inSubnet(ctx, cidr)),
    ip_in_subnet: asking('Whether an address is in a network.', { ip_addr, cidr }, (ctx, { ip_addr, cidr }) =>
      inSubnet(ctx, cidr, ip_addr),
    ),
    convert_cidr: asking('Network, mask and broadcast address of a network.', { cidr }, (_ctx, { cidr }) =>
      convertCidr(cidr),
    ),
    calc_net: asking(
      'The network of an address.',
      { ip_addr, netmask: arg.any('The mask, when it is not with the address', { optional: true }) },
      (_ctx, { ip_addr, netmask }) => calcNet(ip_addr, netmask),
    ),
    ip_addrs,
    ipaddrs: ip_addrs,
    ip_addrs6,
    ipaddrs6: ip_addrs6,
    ip_neighs,
    ipneighs: ip_neighs,
    ip_neighs6,
    ipneighs6: ip_neighs6,
    ip_networks: asking('The IPv4 networks this machine is on.', wholeNetworks, (ctx, choice) =>
      networks(ctx, 'inet', choice),
    ),
    ip_networks6: asking('The IPv6 networks this machine is on.', wholeNetworks, (ctx, choice) =>
      networks(ctx, 'inet6', choice),
    ),
    get_hostname: asking('The name of this machine.', none, (ctx) => ctx.host.hostname()),
    mod_hostname: changes({
      doc: 'Name the machine.',
      example: 'network.mod_hostname master.saltstack.com',
      args: { hostname: arg.any('The name') },
      run: (ctx, { hostname }) => setHostname(ctx, hostname, fullName),
    }),
    get_fqdn: asking('The name of this machine with its domain.', none, fullName),
    connect: asking(
      'Whether something listens at a port.',
      {
        host: arg.any('The host'),
        port: arg.any('The port', { optional: true }),
        kwargs: arg.open('`timeout` in seconds, `family`: ipv4 or ipv6'),
      },
      (_ctx, { host, port, kwargs }) => connect(host, port, kwargs),
      ret.dict('`result` and `comment`'),
    ),
    is_private: asking(
      'Whether an address is a private one.',
      { ip_addr },
      (_ctx, { ip_addr }) => ipAddress(ip_addr).isPrivate,
    ),
    is_loopback: asking(
      'Whether an address is a loopback one.',
      { ip_addr },
      (_ctx, { ip_addr }) => ipAddress(ip_addr).isLoopback,
    ),
    reverse_ip: asking('The name of an address for reverse look-ups.', { ip_addr }, (_ctx, { ip_addr }) =>
      reversePointer(ip_addr),
    ),
    routes: asking('The routes of this machine.', { family }, (ctx, { family }) => routes(ctx, family)),
    default_route: asking('The default routes of this machine.', { family }, (ctx, { family }) =>
      defaultRoutes(ctx, family),
    ),
    get_route: asking('How an address is reached.', { ip: arg.any('The address') }, (ctx, { ip }) => routeTo(ctx, ip)),
    ifacestartswith: asking(
      'The interfaces with an address that begins so.',
      { cidr: arg.any('The beginning') },
      (ctx, { cidr }) => startingWith(ctx, cidr),
    ),
    iphexval: asking('An IPv4 address in hexadecimal.', { ip: arg.any('The address') }, (_ctx, { ip }) =>
      hexadecimal(ip),
    ),
    fqdns: asking('All names that the addresses of this machine have.', none, async (ctx) => {
      const all = await interfaces(ctx)
      return { fqdns: await namesOf([...ipAddresses(all, 'inet', false), ...ipAddresses(all, 'inet6', false)]) }
    }),
    netstat: asking('Open sockets, and the programs they belong to.', none, sockets),
    active_tcp: asking('Connections that stand.', none, connections),
    traceroute: asking('The way to a host.', { host: arg.string('The host') }, (ctx, { host }) =>
      traceroute(ctx, host),
    ),
    dig: asking('What dig says about a host.', { host: arg.string('The host') }, (ctx, { host }) =>
      ctx.call('cmd.run', [`dig ${sanitizeHost(host)}`]),
    ),
    arp: asking('The hardware addresses of neighbours.', none, arpTable),
    wol: changes({
      doc: 'Wake a machine up.',
      args: {
        mac: arg.string('Its hardware address'),
        bcast: arg.string('Where the packet is sent', { default: '255.255.255.255' }),
        destport: arg.any('The port it is sent to', { default: 9 }),
      },
      returns: ret.boolean('True'),
      example: 'network.wol 08-00-27-13-69-77 255.255.255.255 7',
      run: (_ctx, { mac, bcast, destport }) => wake(mac, bcast, Number(destport)),
    }),
    get_bufsize: asking("The sizes of an interface's buffers.", { iface }, (ctx, { iface }) => bufferSizes(ctx, iface)),
    mod_bufsize: changes({
      doc: 'Set the sizes of the buffers of an interface.',
      args: { iface, args: arg.rest('Refused'), kwargs: arg.open('rx, tx, rx-mini and rx-jumbo') },
      returns: ret.any('Whether it worked, with a comment'),
      example: 'network.mod_bufsize eth0 tx=4096 rx=4096',
      run: (ctx, { iface, args, kwargs }) => setBuffers(ctx, iface, args, kwargs),
    }),
  },
})
