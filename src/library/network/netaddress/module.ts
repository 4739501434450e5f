// Networks by their CIDR: the addresses in them, the mask and the broadcast address. An address without a prefix is a
// network of itself, and `10/8` the one that zeros complete.
import { IpAddress, type IpNetwork, ipNetwork, SaltError } from '../../../data/mod.ts'
import { arg, defineModule, reads } from '../../../sdk/mod.ts'

/** More addresses than anybody can read would only fill the memory. */
const MOST = 1n << 24n

function networkOf(cidr: string): IpNetwork {
  const text = cidr
  const [, short, rest = ''] = /^(\d+(?:\.\d+){0,2})(\/.+)$/.exec(text) ?? []
  const whole = short === undefined ? text : [...short.split('.'), '0', '0', '0'].slice(0, 4).join('.') + rest
  try {
    return ipNetwork(whole, false)
  } catch {
    throw new SaltError('CommandExecutionError', `invalid IPNetwork ${text}`)
  }
}

function addressesOf(cidr: string): IpAddress[] {
  const network = networkOf(cidr)
  if (network.size > MOST) {
    throw new SaltError('CommandExecutionError', `${cidr} has ${network.size} addresses: too many to list`)
  }
  const first = network.address.value
  return Array.from(
    { length: Number(network.size) },
    (_, index) => new IpAddress(network.version, first + BigInt(index)),
  )
}

const asIpv6 = (address: IpAddress): string => (address.version === 4 ? `::ffff:${address}` : String(address))

const args = { cidr: arg.text('The network, with its prefix') }

export default defineModule({
  name: 'netaddress',
  doc: 'What a network consists of.',
  functions: {
    list_cidr_ips: reads({
      doc: 'The addresses of a network.',
      example: 'netaddress.list_cidr_ips 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => addressesOf(cidr).map(String),
    }),
    list_cidr_ips_ipv6: reads({
      doc: 'The addresses of a network as IPv6 has them.',
      example: 'netaddress.list_cidr_ips_ipv6 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => addressesOf(cidr).map(asIpv6),
    }),
    cidr_netmask: reads({
      doc: 'The mask of a network.',
      example: 'netaddress.cidr_netmask 192.168.0.0/20',
      args,
      run: (_ctx, { cidr }) => {
        const network = networkOf(cidr)
        return String(new IpAddress(network.version, network.netmask))
      },
    }),
    cidr_broadcast: reads({
      doc: 'The address that all of a network listen to; None where there is no room for one.',
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
