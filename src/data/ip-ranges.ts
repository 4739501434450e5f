// The private, reserved and other special ranges of addresses: the IANA special-purpose registries as in Python's
// `ipaddress` module, with globally reachable blocks inside private ranges.
import { type IpVersion, netmaskOf, parseIpv4Text, parseIpv6Text } from './ip-text.ts'

interface Range {
  network: bigint
  mask: bigint
}

function ranges(version: IpVersion, texts: readonly string[]): Range[] {
  return texts.map((text) => {
    const [address, prefix] = text.split('/') as [string, string]
    const network = version === 4 ? parseIpv4Text(address) : parseIpv6Text(address)
    return { network, mask: netmaskOf(version, Number(prefix)) }
  })
}

const PRIVATE = {
  4: ranges(4, [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.0.170/31',
    '192.0.2.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '240.0.0.0/4',
    '255.255.255.255/32',
  ]),
  6: ranges(6, [
    '::1/128',
    '::/128',
    '::ffff:0:0/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    'fc00::/7',
    'fe80::/10',
  ]),
}

const REACHABLE_PRIVATE = {
  4: ranges(4, ['192.0.0.9/32', '192.0.0.10/32']),
  6: ranges(6, ['2001:1::1/128', '2001:1::2/128', '2001:3::/32', '2001:4:112::/48', '2001:20::/28', '2001:30::/28']),
}

const RESERVED = {
  4: ranges(4, ['240.0.0.0/4']),
  6: ranges(6, [
    '::/8',
    '100::/8',
    '200::/7',
    '400::/6',
    '800::/5',
    '1000::/4',
    '4000::/3',
    '6000::/3',
    '8000::/3',
    'a000::/3',
    'c000::/3',
    'e000::/4',
    'f000::/5',
    'f800::/6',
    'fe00::/9',
  ]),
}

const LINK_LOCAL = { 4: ranges(4, ['169.254.0.0/16']), 6: ranges(6, ['fe80::/10']) }
const MULTICAST = { 4: ranges(4, ['224.0.0.0/4']), 6: ranges(6, ['ff00::/8']) }
const LOOPBACK = { 4: ranges(4, ['127.0.0.0/8']), 6: ranges(6, ['::1/128']) }
const SITE_LOCAL = { 4: [], 6: ranges(6, ['fec0::/10']) }
/** Neither private nor public: shared by carriers. */
const SHARED = { 4: ranges(4, ['100.64.0.0/10']), 6: [] }

const inAny = (table: Record<IpVersion, Range[]>, version: IpVersion, value: bigint): boolean =>
  table[version].some(({ network, mask }) => (value & mask) === network)

export function isPrivate(version: IpVersion, value: bigint): boolean {
  // an IPv4 address inside IPv6 keeps its own nature
  if (version === 6 && value >> 32n === 0xffffn) return isPrivate(4, value & 0xffffffffn)
  return inAny(PRIVATE, version, value) && !inAny(REACHABLE_PRIVATE, version, value)
}

export function isGlobal(version: IpVersion, value: bigint): boolean {
  return !inAny(SHARED, version, value) && !isPrivate(version, value)
}

export const isReserved = (version: IpVersion, value: bigint): boolean => inAny(RESERVED, version, value)
export const isLinkLocal = (version: IpVersion, value: bigint): boolean => inAny(LINK_LOCAL, version, value)
export const isMulticast = (version: IpVersion, value: bigint): boolean => inAny(MULTICAST, version, value)
export const isLoopback = (version: IpVersion, value: bigint): boolean => inAny(LOOPBACK, version, value)
export const isSiteLocal = (version: IpVersion, value: bigint): boolean => inAny(SITE_LOCAL, version, value)
