// The files of Red Hat's network scripts: names in upper case, in a fixed order.
import { isDict, iterate, str, truthy, type Value } from '../../../../data/mod.ts'
import type { Settings } from '../debian_ip/parts.ts'

type Line = (settings: Settings) => string[]

const filled = (settings: Settings, key: string): Value | undefined => {
  const value = settings.get(key)
  return value !== undefined && truthy(value) ? value : undefined
}

/** `key:NAME` writes `NAME="value"`; a final `=` omits the quotes, a final `'` makes them single quotes. */
const simple = (spec: string): Line[] =>
  spec.split(' ').map((entry) => {
    const [key = '', given = ''] = entry.split(':')
    const mark = /[=']$/.exec(given)?.[0]
    const quote = mark === '=' ? '' : mark === "'" ? "'" : '"'
    const name = given.replace(/[=']$/, '') || key.toUpperCase()
    return (settings) => {
      const value = filled(settings, key)
      return value === undefined ? [] : [`${name}=${quote}${str(value)}${quote}`]
    }
  })

const joined =
  (key: string, name: string): Line =>
  (settings) => {
    const value = filled(settings, key)
    return value === undefined ? [] : [`${name}="${[...iterate(value)].map(str).join(' ')}"`]
  }

/** Return lines that are written only if a setting is set. */
const under =
  (key: string, first: string[], lines: readonly Line[]): Line =>
  (settings) =>
    filled(settings, key) === undefined ? [] : [...first, ...lines.flatMap((line) => line(settings))]

const numbered: Line = (settings) => {
  const pairs = (filled(settings, 'ipaddrs') ?? []) as Value[]
  return pairs.flatMap((pair, at) => {
    const [address = '', prefix = ''] = pair as Value[]
    return [`IPADDR${at + 1}="${str(address)}"`, `PREFIX${at + 1}="${str(prefix)}"`]
  })
}

const INTERFACE: readonly Line[] = [
  ...simple('name:DEVICE nickname:NAME hwaddr macaddr uuid userctl master slave'),
  under('vlan', [], simple('vlan reorder_hdr vlan_id:VID phys_dev:PHYSDEV')),
  ...simple("devtype:TYPE devicetype team_config:TEAM_CONFIG' team_port_config:TEAM_PORT_CONFIG' team_master"),
  ...simple(
    'proto:BOOTPROTO onboot onparent:ONPARENT= ipv4_failure_fatal ipaddr ipaddr_start ipaddr_end clonenum_start',
  ),
  ...simple('netmask prefix'),
  numbered,
  ...simple('gateway arpcheck'),
  under(
    'enable_ipv6',
    ['IPV6INIT="yes"'],
    [
      ...simple('ipv6_autoconf dhcpv6c ipv6addr ipv6gateway:IPV6_DEFAULTGW'),
      joined('ipv6addrs', 'IPV6ADDR_SECONDARIES'),
      ...simple('ipv6_peerdns ipv6_defroute ipv6_peerroutes'),
    ],
  ),
  ...simple('srcaddr peerdns peerroutes peerntp defroute bridge stp'),
  (settings) => (settings.get('delay') === 0 ? ['DELAY="0"'] : simple('delay').flatMap((line) => line(settings))),
  ...simple('mtu zone my_inner_ipaddr:MY_INNER_IPADDR= my_outer_ipaddr:MY_OUTER_IPADDR= bonding:BONDING_OPTS'),
  ...simple('ethtool:ETHTOOL_OPTS'),
  joined('domain', 'DOMAIN'),
  ...simple('nm_controlled'),
  (settings) => [...iterate(settings.get('dns') ?? [])].map((server, at) => `DNS${at + 1}="${str(server)}"`),
]

const NETWORK: readonly Line[] = [
  ...simple('networking:NETWORKING= networking_ipv6:NETWORKING_IPV6= hostname:HOSTNAME= gateway:GATEWAY='),
  ...simple('gatewaydev:GATEWAYDEV= nisdomain:NISDOMAIN= networkdelay:NETWORKDELAY= devtimeout:DEVTIMEOUT='),
  ...simple('nozeroconf:NOZEROCONF='),
  under('enable_ipv6', ['IPV6INIT="yes"'], []),
  ...simple('ipv6gateway:IPV6_DEFAULTGW'),
]

const text = (lines: readonly Line[], settings: Settings): string =>
  lines
    .flatMap((line) => line(settings))
    .map((line) => `${line}\n`)
    .join('')

export const interfaceText = (settings: Settings): string => text(INTERFACE, settings)
export const networkText = (settings: Settings): string => text(NETWORK, settings)

export function routesText(routes: readonly Value[], iface: string): string {
  const entries = routes.filter(isDict).map((route) => {
    const part = (key: string, before: string, otherwise = ''): string => {
      const value = route.get(key) ?? null
      return truthy(value) ? before + str(value) : otherwise
    }
    const way = `${part('netmask', '/')}${part('gateway', ' via ', ` dev ${iface}`)}${part('metric', ' metric ')}`
    return `${part('name', '# ')}\n${part('ipaddr', '')}${way}\n`
  })
  return entries.join('')
}
