// Network interfaces of Linux systems without a specific `ip` module, from the program ip and the kernel. This module
// writes no configuration.
import { lookup } from '../../../base/mod.ts'
import { type Dict, isDict, splitLines, splitWords, str, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, type FunctionContext, reads } from '../../../sdk/mod.ts'

const SERVED_ELSEWHERE: Readonly<Record<string, string>> = lookup({
  RedHat: 'RedHat',
  Suse: 'SUSE',
  Debian: 'Debian',
  NILinuxRT: 'NILinuxRT',
})

/** Return pairs of words; ignore a last single word. */
function pairs(words: readonly string[]): Dict {
  const found: Dict = new Map()
  for (let at = 0; at + 1 < words.length; at += 2) found.set(words[at]!, words[at + 1]!)
  return found
}

/** Return pairs of words; a last single word becomes part of the last value. */
function address(words: readonly string[]): Dict {
  if (words.length % 2 === 0) return pairs(words)
  return pairs([...words.slice(0, -2), words.slice(-2).join(' ')])
}

function interfacesIn(text: string): Map<string, Dict> {
  const found = new Map<string, Dict>()
  let current: Dict = new Map()
  let family = ''
  for (const line of splitLines(text)) {
    const words = splitWords(line)
    if (!line.startsWith(' ')) {
      const [, name = '', rest = ''] = line.split(':')
      const [flags = '', ...options] = splitWords(rest)
      current = new Map<Value, Value>([['flags', flags.replace(/^<+|>+$/g, '').split(',')]])
      family = ''
      found.set(name.trim(), current.set('options', pairs(options)))
    } else if (words[0]?.startsWith('link')) current.set('link_layer', pairs(words))
    else if (words[0]?.startsWith('inet')) {
      family = words[0]
      current.set(family, address(words))
    } else {
      // alternative names of an interface come before its first address, and are ignored
      const known = current.get(family) ?? null
      if (isDict(known)) for (const [key, value] of pairs(words)) known.set(key, value)
    }
  }
  return found
}

const FLAGS: ReadonlyArray<readonly [number, string]> = [
  [0x0001, 'U'],
  [0x0002, 'G'],
  [0x0004, 'H'],
  [0x0008, 'R'],
  [0x0010, 'D'],
  [0x0020, 'M'],
  [0x00040000, 'A'],
  [0x01000000, 'C'],
  [0x0200, '!'],
]

/** Parse an address of the kernel: hexadecimal, last byte first. */
const octets = (hex: string): string => [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(':')

function routesIn(text: string): Map<string, Value[]> {
  const routes = new Map<string, Value[]>()
  for (const words of splitLines(text).map((line) => splitWords(line))) {
    const [iface, destination = '', gateway = '', flags = '', refcnt = '', use = '', metric = ''] = words
    const [mask = '', mtu = '', window = '', irtt = ''] = words.slice(7)
    if (iface === undefined || iface.startsWith('Iface')) continue
    const set = Number.parseInt(flags, 10)
    const route = new Map<Value, Value>([
      ['iface', iface],
      ['destination', octets(destination)],
      ['gateway', octets(gateway)],
      ['flags', FLAGS.map(([bit, letter]) => (set & bit ? letter : '')).join('')],
      ['refcnt', refcnt],
      ['use', use],
      ['metric', metric],
      ['mask', octets(mask)],
      ['mtu', mtu],
      ['window', window],
      ['irtt', irtt],
    ])
    routes.set(iface, [...(routes.get(iface) ?? []), route])
  }
  return routes
}

/** Change the state of a link. A slave goes up and down with its bond. */
const link = async (ctx: FunctionContext, iface: string, type: string | null, state: string): Promise<Value> =>
  type === 'slave' ? null : ctx.call('cmd.run', [`ip link set ${iface} ${state}`])

const iface = arg.text('Interface name')
const iface_type = arg.text('Interface type; the type slave is not changed', { optional: true })

export default defineModule({
  name: 'linux_ip',
  virtual: 'ip',
  doc: 'Manage network interfaces of other Linux systems.',
  when: async ({ grains, host }) => {
    const family = SERVED_ELSEWHERE[str(grains.get('os_family') ?? '')]
    if (family !== undefined) return `Module linux_ip: ${family} systems are not supported.`
    if (grains.get('kernel') !== 'Linux')
      return `Module linux_ip: ${str(grains.get('kernel') ?? '')} systems are not supported.`
    const isThere = (await host.which('ip')) !== undefined
    return isThere || 'The linux_ip execution module cannot be loaded: the ip binary is not in the path.'
  },
  functions: {
    down: changes({
      doc: 'Take an interface down.',
      example: 'ip.down eth0',
      args: { iface, iface_type },
      run: (ctx, given) => link(ctx, given.iface, given.iface_type, 'down'),
    }),
    up: changes({
      doc: 'Bring an interface up.',
      example: 'ip.up eth0',
      args: { iface, iface_type },
      run: (ctx, given) => link(ctx, given.iface, given.iface_type, 'up'),
    }),
    get_interface: reads({
      doc: 'Return the details of an interface.',
      example: 'ip.get_interface eth0',
      args: { iface },
      run: async (ctx, given) => interfacesIn(await ctx.call('cmd.run', ['ip a'])).get(given.iface) ?? null,
    }),
    get_routes: reads({
      doc: 'Return the routes of one interface or of all.',
      example: 'ip.get_routes eth0',
      args: { iface: arg.text('Interface name', { optional: true }) },
      run: async (ctx, given) => {
        const routes = routesIn(Buffer.from(await ctx.host.read('/proc/net/route')).toString())
        return given.iface === null ? routes : (routes.get(given.iface) ?? null)
      },
    }),
  },
})
