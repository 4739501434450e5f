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
import { arg, changes, defineModule, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { connect, namesOf, sanitizeHost } from './module/connection.ts'
import { arpTable, bufferSizes, setBuffers, wake } from './module/hardware.ts'
import { setHostname } from './module/hostname.ts'
import { addressesOf, chosen, type Family, interfaces, ipAddresses } from './module/interfaces.ts'
import { calcNet, convertCidr, inSubnet, networks, reversePointer, subnets } from './module/networks.ts'
import { defaultRoutes, routes, routeTo } from './module/routes.ts'
import { connections, sockets } from './module/sockets.ts'
import { traceroute } from './module/traceroute.ts'

/** Return data of an interface; for an unknown interface, a text with the known ones. */
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
  interface: string[] | null
  include_loopback: boolean
  cidr: string | null
  type?: string | null
}

async function addresses(ctx: FunctionContext, family: Family, choice: AddressChoice): Promise<string[]> {
  const found = ipAddresses(chosen(await interfaces(ctx), choice.interface), family, choice.include_loopback)
  const { cidr } = choice
  if (cidr) {
    const inside = await Promise.all(found.map((address) => inSubnet(ctx, cidr, [address])))
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
  return outcome.get('retcode') === 0
}

/** Return the fully qualified name that the system resolves the host name to. */
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

async function startingWith(ctx: FunctionContext, beginning: string): Promise<Value[]> {
  const found: Value[] = []
  for (const [name, entry] of await interfaces(ctx)) {
    const inet = entry instanceof Map ? entry.get('inet') : undefined
    for (const fact of Array.isArray(inet) ? (inet as Dict[]) : []) {
      if (str(fact.get('address')!).startsWith(beginning)) found.push(fact.get('label') ?? name)
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

const iface = arg.text('Interface name')
const ip_addr = arg.any('Address, as text or number; `ip_in_subnet` takes a list as well')
const cidr = arg.any('Network, such as 10.0.0.0/8')
const family = arg.text('inet or inet6; both by default', { optional: true })
const selection = {
  interface: arg.words('Interface names or globs, as a list or with commas', { optional: true }),
  include_loopback: arg.boolean('Whether to include loopback addresses', { default: false }),
}
const within = arg.text('Network that the addresses must be in', { optional: true })
const wholeNetworks = {
  ...selection,
  verbose: arg.boolean('Whether to return details of each network', { default: false }),
}

const hw_addr = reads({
  doc: 'Return the hardware address of an interface.',
  args: { iface },
  run: (ctx, { iface }) => ofInterface(ctx, iface, (entry) => entry.get('hwaddr') ?? ''),
})
const ip_addrs = reads({
  doc: 'Return the IPv4 addresses of this machine.',
  args: { ...selection, cidr: within, type: arg.text('`public` or `private`; both by default', { optional: true }) },
  returns: ret.texts('The addresses'),
  run: (ctx, choice) => addresses(ctx, 'inet', choice),
})
const ip_addrs6 = reads({
  doc: 'Return the IPv6 addresses of this machine.',
  args: { ...selection, cidr: within },
  returns: ret.texts('The addresses'),
  run: (ctx, choice) => addresses(ctx, 'inet6', choice),
})
const ip_neighs = reads({
  doc: 'Return the IPv4 neighbours by hardware address.',
  run: (ctx) => neighbours(ctx, '.'),
})
const ip_neighs6 = reads({
  doc: 'Return the IPv6 neighbours by hardware address.',
  run: (ctx) => neighbours(ctx, ':'),
})

export default defineModule({
  name: 'network',
  doc: 'Inspect the network, and calculate with addresses.',
  examples: 'given',
  functions: {
    ping: reads({
      doc: 'Send four echo requests to a host.',
      args: {
        host: arg.string('Host name or address'),
        timeout: arg.any('Timeout in seconds, as number or text; the default of ping if False', { default: false }),
        return_boolean: arg.boolean('Whether to return only whether the host answers', { default: false }),
      },
      run: (ctx, { host, timeout, return_boolean }) => ping(ctx, host, timeout, return_boolean),
    }),
    interfaces: reads({
      doc: 'Return all interfaces with their addresses.',
      returns: ret.dict('The data of each interface'),
      run: interfaces,
    }),
    hw_addr,
    hwaddr: hw_addr,
    interface: reads({
      doc: 'Return the IPv4 addresses of an interface with details.',
      args: { iface },
      run: (ctx, { iface }) => ofInterface(ctx, iface, (entry) => entry.get('inet') ?? ''),
    }),
    interface_ip: reads({
      doc: 'Return the first IPv4 address of an interface.',
      args: { iface },
      run: (ctx, { iface }) => ofInterface(ctx, iface, (entry) => addressesOf(entry, 'inet')[0]?.get('address') ?? ''),
    }),
    subnets: reads({
      doc: 'Return the IPv4 networks of this machine.',
      args: { interfaces: arg.textOrList('Interface name, or a list of names; all by default', { optional: true }) },
      run: (ctx, args) => subnets(ctx, 'inet', args.interfaces),
    }),
    subnets6: reads({
      doc: 'Return the IPv6 networks of this machine.',
      run: (ctx) => subnets(ctx, 'inet6', null),
    }),
    in_subnet: reads({
      doc: 'Return whether this machine has an address in a network.',
      args: { cidr },
      run: (ctx, { cidr }) => inSubnet(ctx, cidr),
    }),
    ip_in_subnet: reads({
      doc: 'Return whether an address is in a network.',
      args: { ip_addr, cidr },
      run: (ctx, { ip_addr, cidr }) => inSubnet(ctx, cidr, ip_addr),
    }),
    convert_cidr: reads({
      doc: 'Return the address, mask and broadcast address of a network.',
      args: { cidr },
      run: (_ctx, { cidr }) => convertCidr(cidr),
    }),
    calc_net: reads({
      doc: 'Return the network of an address.',
      args: { ip_addr, netmask: arg.text('Mask or prefix, unless the address has one', { optional: true }) },
      run: (_ctx, { ip_addr, netmask }) => calcNet(ip_addr, netmask),
    }),
    ip_addrs,
    ipaddrs: ip_addrs,
    ip_addrs6,
    ipaddrs6: ip_addrs6,
    ip_neighs,
    ipneighs: ip_neighs,
    ip_neighs6,
    ipneighs6: ip_neighs6,
    ip_networks: reads({
      doc: 'Return the IPv4 networks of this machine.',
      args: wholeNetworks,
      run: (ctx, choice) => networks(ctx, 'inet', choice),
    }),
    ip_networks6: reads({
      doc: 'Return the IPv6 networks of this machine.',
      args: wholeNetworks,
      run: (ctx, choice) => networks(ctx, 'inet6', choice),
    }),
    get_hostname: reads({ doc: 'Return the host name.', run: (ctx) => ctx.host.hostname() }),
    mod_hostname: changes({
      doc: 'Set the host name.',
      example: 'network.mod_hostname master.saltstack.com',
      args: { hostname: arg.any('Host name; None changes nothing and returns False') },
      run: (ctx, { hostname }) => setHostname(ctx, hostname, fullName),
    }),
    get_fqdn: reads({ doc: 'Return the fully qualified domain name.', run: fullName }),
    connect: reads({
      doc: 'Return whether a TCP connection to a port succeeds.',
      args: {
        host: arg.text('Host name or address'),
        port: arg.any('Port, as number or text; required', { optional: true }),
        kwargs: arg.open('`timeout` in seconds, `family`: ipv4 or ipv6'),
      },
      returns: ret.dict('`result` and `comment`'),
      run: (_ctx, { host, port, kwargs }) => connect(host, port, kwargs),
    }),
    is_private: reads({
      doc: 'Return whether an address is private.',
      args: { ip_addr },
      run: (_ctx, { ip_addr }) => ipAddress(ip_addr).isPrivate,
    }),
    is_loopback: reads({
      doc: 'Return whether an address is a loopback address.',
      args: { ip_addr },
      run: (_ctx, { ip_addr }) => ipAddress(ip_addr).isLoopback,
    }),
    reverse_ip: reads({
      doc: 'Return the name for the reverse look-up of an address.',
      args: { ip_addr },
      run: (_ctx, { ip_addr }) => reversePointer(ip_addr),
    }),
    routes: reads({
      doc: 'Return the routes of this machine.',
      args: { family },
      run: (ctx, { family }) => routes(ctx, family),
    }),
    default_route: reads({
      doc: 'Return the default routes of this machine.',
      args: { family },
      run: (ctx, { family }) => defaultRoutes(ctx, family),
    }),
    get_route: reads({
      doc: 'Return the route to an address.',
      args: { ip: arg.text('Address') },
      run: (ctx, { ip }) => routeTo(ctx, ip),
    }),
    ifacestartswith: reads({
      doc: 'Return the interfaces that have an address with a prefix.',
      args: { cidr: arg.string('First characters of the address') },
      run: (ctx, { cidr }) => startingWith(ctx, cidr),
    }),
    iphexval: reads({
      doc: 'Return an IPv4 address in hexadecimal.',
      args: { ip: arg.any('Address, as text; other types raise an AttributeError') },
      run: (_ctx, { ip }) => hexadecimal(ip),
    }),
    fqdns: reads({
      doc: 'Return all names of the addresses of this machine.',
      run: async (ctx) => {
        const all = await interfaces(ctx)
        return { fqdns: await namesOf([...ipAddresses(all, 'inet', false), ...ipAddresses(all, 'inet6', false)]) }
      },
    }),
    netstat: reads({ doc: 'Return the open sockets and their programs.', run: sockets }),
    active_tcp: reads({ doc: 'Return the established TCP connections.', run: connections }),
    traceroute: reads({
      doc: 'Return the path to a host.',
      args: { host: arg.string('Host name or address') },
      run: (ctx, { host }) => traceroute(ctx, host),
    }),
    dig: reads({
      doc: 'Return the output of dig for a host.',
      args: { host: arg.string('Host name') },
      run: (ctx, { host }) => ctx.call('cmd.run', [`dig ${sanitizeHost(host)}`]),
    }),
    arp: reads({ doc: 'Return the ARP table: addresses by hardware address.', run: arpTable }),
    wol: changes({
      doc: 'Wake a machine over the network.',
      args: {
        mac: arg.string('Hardware address'),
        bcast: arg.string('Broadcast address that the packet is sent to', { default: '255.255.255.255' }),
        destport: arg.count('Port that the packet is sent to', { default: 9 }),
      },
      returns: ret.boolean('True'),
      example: 'network.wol 08-00-27-13-69-77 255.255.255.255 7',
      run: (_ctx, { mac, bcast, destport }) => wake(mac, bcast, destport),
    }),
    get_bufsize: reads({
      doc: 'Return the ring buffer sizes of an interface.',
      args: { iface },
      run: (ctx, { iface }) => bufferSizes(ctx, iface),
    }),
    mod_bufsize: changes({
      doc: 'Set the ring buffer sizes of an interface.',
      args: { iface, args: arg.rest('Refused'), kwargs: arg.open('rx, tx, rx-mini and rx-jumbo') },
      returns: ret.any('The result with a comment, or False if it is not supported'),
      example: 'network.mod_bufsize eth0 tx=4096 rx=4096',
      run: (ctx, { iface, args, kwargs }) => setBuffers(ctx, iface, args, kwargs),
    }),
  },
})
