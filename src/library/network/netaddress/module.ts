// Networks in CIDR notation: their addresses, mask and broadcast address. An address without a prefix is a network of
// one address, and `10/8` means `10.0.0.0/8`.
import { failure, IpAddress, type IpNetwork, ipNetwork } from '../../../data/mod.ts'
import { arg, defineModule, reads } from '../../../sdk/mod.ts'

/** Largest network whose addresses are listed, to bound memory. */
const MOST = 1n << 24n

function networkOf(cidr: string): IpNetwork {
  const [, short, rest = ''] = /^(\d+(?:\.\d+){0,2})(\/.+)$/.exec(cidr) ?? []
  const whole = short === undefined ? cidr : [...short.split('.'), '0', '0', '0'].slice(0, 4).join('.') + rest
  try {
    return ipNetwork(whole, false)
  } catch {
    throw failure(`invalid IPNetwork ${cidr}`)
  }
}

function addressesOf(cidr: string): IpAddress[] {
  const network = networkOf(cidr)
  if (network.size > MOST) {
    throw failure(`${cidr} has ${network.size} addresses: too many to list`)
  }
  const first = network.address.value
  return Array.from(
    { length: Number(network.size) },
    (_, index) => new IpAddress(network.version, first + BigInt(index)),
  )
}

const asIpv6 = (address: IpAddress): string => (address.version === 4 ? `::ffff:${address}` : String(address))

const args = { cidr: arg.text('Network in CIDR notation, such as 192.168.0.0/20') }

export default defineModule({
  name: 'netaddress',
  doc: 'Calculate with networks in CIDR notation.',
  functions: {
    list_cidr_ips: reads({
      doc: 'Return all addresses of a network.',
      example: 'netaddress.list_cidr_ips 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => addressesOf(cidr).map(String),
    }),
    list_cidr_ips_ipv6: reads({
      doc: 'Return all addresses of a network in IPv6 notation.',
      example: 'netaddress.list_cidr_ips_ipv6 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => addressesOf(cidr).map(asIpv6),
    }),
    cidr_netmask: reads({
      doc: 'Return the mask of a network.',
      example: 'netaddress.cidr_netmask 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => {
        const network = networkOf(cidr)
        return String(new IpAddress(network.version, network.netmask))
      },
    }),
    cidr_broadcast: reads({
      doc: "Return the broadcast address of a network. Return 'None' if the network is too small.",
      example: 'netaddress.cidr_broadcast 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => {
        const network = networkOf(cidr)
        if (network.version === 4 && network.prefix >= 31) return 'None'
        return String(new IpAddress(network.version, network.broadcast))
      },
    }),
  },
})
