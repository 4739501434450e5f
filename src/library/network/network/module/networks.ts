// Networks of this machine, and calculations with addresses.
import { BrineError } from '../../../../base/mod.ts'
import {
  type Dict,
  type IpNetwork,
  ipAddress,
  ipInterface,
  ipNetwork,
  isList,
  str,
  type Value,
} from '../../../../data/mod.ts'
import type { FunctionContext, Result } from '../../../../sdk/mod.ts'
import { addressesOf, chosen, type Family, interfaces, ipAddresses } from './interfaces.ts'

function sorted(networks: Iterable<IpNetwork>): IpNetwork[] {
  const unique = new Map(Array.from(networks, (network) => [network.toString(), network]))
  return [...unique.values()].sort((a, b) => {
    if (a.address.value !== b.address.value) return a.address.value < b.address.value ? -1 : 1
    return a.prefix - b.prefix
  })
}

const MASK = { inet: 'netmask', inet6: 'prefixlen' } as const

/** Return the networks of all or some interfaces, without those of loopback addresses. */
export async function subnets(ctx: FunctionContext, family: Family, wanted: Value): Promise<string[]> {
  const all = await interfaces(ctx)
  const names = wanted === null ? [...all.keys()] : isList(wanted) ? wanted : [wanted]
  const found: IpNetwork[] = []
  for (const name of names) {
    for (const fact of addressesOf(all.get(name) ?? null, family)) {
      const mask = fact.get(MASK[family]) ?? (family === 'inet' ? 32 : 128)
      const on = ipInterface(`${str(fact.get('address')!)}/${str(mask)}`)
      if (!on.isLoopback) found.push(on.network)
    }
  }
  return sorted(found).map((network) => network.toString())
}

interface Choice {
  interface: string[] | null
  include_loopback: boolean
  verbose: boolean
}

export async function networks(ctx: FunctionContext, family: Family, choice: Choice): Promise<Result> {
  const found: IpNetwork[] = []
  for (const entry of chosen(await interfaces(ctx), choice.interface).values()) {
    for (const fact of addressesOf(entry, family)) {
      const network = ipNetwork(`${str(fact.get('address')!)}/${str(fact.get(MASK[family]) ?? '')}`, false)
      if (choice.include_loopback || !network.address.isLoopback) found.push(network)
    }
  }
  const unique = sorted(found)
  if (!choice.verbose) return unique.map((network) => network.toString())
  return Object.fromEntries(unique.map((network) => [network.toString(), details(network)]))
}

function details(network: IpNetwork): Result {
  const mask = ipAddress(network.netmask, network.version)
  return {
    address: network.address.toString(),
    netmask: mask.toString(),
    num_addresses: network.size <= Number.MAX_SAFE_INTEGER ? Number(network.size) : network.size,
    prefixlen: network.prefix,
  }
}

/** Return whether one of the addresses is in the network; by default the addresses of this machine. */
export async function inSubnet(ctx: FunctionContext, cidr: Value, given?: Value): Promise<boolean> {
  let network: IpNetwork
  try {
    network = ipNetwork(cidr)
  } catch (error) {
    if (!(error instanceof BrineError)) throw error
    ctx.log('error', `Invalid CIDR '${str(cidr)}'`)
    return false
  }
  return (await candidates(ctx, given)).some((address) => network.contains(ipAddress(address)))
}

async function candidates(ctx: FunctionContext, given: Value | undefined): Promise<Value[]> {
  if (given !== undefined) return isList(given) ? given : [given]
  const all: Dict = await interfaces(ctx)
  return [...ipAddresses(all, 'inet', false), ...ipAddresses(all, 'inet6', false)]
}

export function calcNet(address: Value, mask: string | null): string {
  return ipNetwork(mask === null ? address : `${str(address)}/${mask}`, false).toString()
}

export function convertCidr(cidr: Value): Record<'network' | 'netmask' | 'broadcast', string> {
  const network = ipNetwork(cidr, false)
  return {
    network: network.address.toString(),
    netmask: ipAddress(network.netmask, network.version).toString(),
    broadcast: ipAddress(network.broadcast, network.version).toString(),
  }
}

/** Return the name for the reverse look-up of an address. */
export function reversePointer(input: Value): string {
  const address = ipAddress(input)
  if (address.version === 4) return `${address.toString().split('.').reverse().join('.')}.in-addr.arpa`
  return `${[...address.value.toString(16).padStart(32, '0')].reverse().join('.')}.ip6.arpa`
}
