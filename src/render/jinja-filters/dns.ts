// The `dns_check` filter: resolves a name to an address, preferably the first one that accepts connections at the port.
import { SaltError, str, truthy, type Value } from '../../data/mod.ts'
import { bracketed, type NativeTable, native } from '../../jinja/mod.ts'
import type { FilterHost } from './host.ts'
import { isSystemError } from './system-error.ts'

const PATIENCE = 2000

async function addressesOf(host: FilterHost, name: string, port: number, family: 0 | 4 | 6): Promise<string[]> {
  let resolved: string[]
  try {
    resolved = (await host.resolve(name, family)).map(({ address }) => address)
  } catch (error) {
    if (isSystemError(error)) return []
    throw error
  }
  for (const address of resolved) if (await host.canConnect(address, port, PATIENCE)) return [address]
  return resolved
}

async function dnsCheck(host: FilterHost, name: string, port: Value, safe: boolean, ipv6: Value): Promise<Value> {
  const family = ipv6 === null ? 0 : truthy(ipv6) ? 6 : 4
  let addresses = await addressesOf(host, name, Number(port), family)
  if (addresses.length === 0 && family === 6) addresses = await addressesOf(host, name, Number(port), 4)
  const [first] = addresses
  if (first !== undefined) return bracketed(first)
  throw new SaltError('SaltException', safe ? '' : `DNS lookup or connection check of '${name}' failed.`)
}

export function dnsFilters(host: FilterHost): NativeTable {
  return {
    dns_check: native('dns_check', ['addr', 'port', 'safe?', 'ipv6?'], (_rt, name, port, safe = false, ipv6 = null) =>
      dnsCheck(host, str(name), port, truthy(safe), ipv6),
    ),
  }
}
