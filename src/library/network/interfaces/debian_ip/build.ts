// Builder of an interface configuration from the settings of a state.
import { lookup } from '../../../../base/mod.ts'
import { keyError, truthy, type Value } from '../../../../data/mod.ts'
import { type Adapter, emptyStanza, type Stanza } from './interfaces.ts'
import { bond, bridge, dialUp, hardware, type Settings } from './parts.ts'
import { type Family, validated } from './validators.ts'

/** Settings that have another name in Debian's file. */
const RENAMED: Readonly<Record<string, string>> = lookup({
  dns: 'dns-nameservers',
  search: 'dns-search',
  hwaddr: 'hwaddress',
  ipaddr: 'address',
  ipaddrs: 'addresses',
})

const OF_IPV4 = new Set(['ipaddr', 'address', 'ipaddresses', 'addresses', 'gateway', 'proto'])
const COMMANDS = ['up_cmds', 'pre_up_cmds', 'post_up_cmds', 'down_cmds', 'pre_down_cmds', 'post_down_cmds']
const FAMILIES = ['inet', 'inet6'] as const

interface Request {
  iface: string
  type: string
  enabled: boolean
  withoutCarrier: boolean
}

function required(opts: Settings, name: string): Value {
  const value = opts.get(name)
  if (value === undefined) throw keyError(name)
  return value
}

/** Set the options that the type of an interface needs in both address families. */
function startOf(stanza: Stanza, family: Family, opts: Settings, { iface, type, withoutCarrier }: Request): void {
  const { options } = stanza
  if (type !== 'bridge') for (const [key, value] of hardware(opts, iface)) stanza.ethtool.set(key, value)
  if (type === 'bridge') {
    for (const [key, value] of bridge(opts, iface)) stanza.bridging.set(key, value)
    if (stanza.bridging.size > 0) options.set('addrfam', family)
  } else if (type === 'bond') {
    for (const [key, value] of bond(opts, iface, withoutCarrier)) stanza.bonding.set(key, value)
    stanza.bonding.set('slaves', required(opts, 'slaves'))
    options.set('addrfam', family)
  } else if (type === 'slave') {
    opts.set('proto', 'manual')
    options.set('master', required(opts, 'master')).set('addrfam', family)
  } else if (type === 'vlan') options.set('vlan_raw_device', iface.replaceAll(/\.\d*/g, '')).set('addrfam', family)
  else if (type === 'pppoe') {
    for (const [key, value] of dialUp(opts, iface)) options.set(key, value)
    options.set('addrfam', family)
  }
}

/** Return the address family that a setting is limited to, if any, and its name without the family. */
function aimOf(name: string): { family?: Family; option: string } {
  if (name.startsWith('ipv4')) return { family: 'inet', option: name.slice(4) }
  if (name.startsWith('ipv6')) return { family: 'inet6', option: name.slice(4) }
  return OF_IPV4.has(name) ? { family: 'inet', option: name } : { option: name }
}

export function adapterOf(opts: Settings, request: Request): Adapter {
  const stanzas = new Map<Family, Stanza>(FAMILIES.map((family) => [family, emptyStanza()]))
  for (const [family, stanza] of stanzas) startOf(stanza, family, opts, request)
  for (const [name, value] of opts) {
    if (name === 'mode') continue
    const { family: aim, option } = aimOf(name)
    if (aim) stanzas.get(aim)!.options.set('addrfam', aim)
    const written = RENAMED[option] ?? option
    const key = written.replaceAll('-', '_')
    for (const [family, { options }] of stanzas) {
      const kept = validated(written, value, family)
      if (kept === undefined) continue
      if (aim === family || (aim === undefined && !options.has(key))) options.set(key, kept)
    }
  }
  for (const name of COMMANDS) {
    if (opts.has(name)) for (const { options } of stanzas.values()) options.set(name, opts.get(name)!)
  }
  for (const [family, flag] of [
    ['inet', 'enable_ipv4'],
    ['inet6', 'enable_ipv6'],
  ] as const) {
    if (opts.get(flag) === false || stanzas.get(family)!.options.get('addrfam') !== family) stanzas.delete(family)
  }
  const adapter: Adapter = { stanzas }
  if (request.enabled) adapter.enabled = true
  if (truthy(opts.get('hotplug') ?? false)) adapter.hotplug = true
  return adapter
}

const switchLine = (options: ReadonlyMap<string, Value>, name: string): string =>
  options.get(name) === 'False' ? '' : name

/** Return the text of the file of a dial-up connection in /etc/ppp/peers. */
export function dialUpText(options: ReadonlyMap<string, Value>): string {
  if (!truthy(options.get('user') ?? null)) return ''
  const text = (name: string, fallback: string): string => `${name} ${String(options.get(name) ?? fallback)}`
  const password = truthy(options.get('password') ?? null) ? `${text('password', '')} ` : ''
  const lines = [
    text('user', ''),
    password,
    `plugin rp-pppoe.so ${String(options.get('pppoe_iface') ?? 'eth0')}`,
    '',
    switchLine(options, 'noipdefault'),
    `${switchLine(options, 'usepeerdns')} `.replace(/^ $/, ''),
    switchLine(options, 'defaultroute'),
    '',
    text('holdoff', '15'),
    text('maxfail', '0'),
    '',
    switchLine(options, 'hide-password'),
    `${text('lcp-echo-interval', '20')} `,
    `${text('lcp-echo-failure', '3')} `,
    '',
    switchLine(options, 'noauth'),
    switchLine(options, 'persist'),
    `${text('mtu', '1492')} `,
    switchLine(options, 'noaccomp'),
    '',
    ...(options.has('linkname') ? ['', text('linkname', '')] : []),
    '',
  ]
  return `${lines.join('\n')}\n`
}
