// The names of the machine from the system's resolver: host, domain, fqdn, its addresses, and the names of all
// addresses. The command `getent` uses that resolver, so it works on every host.
import type { Dict, Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'
import { type Interface, outerAddresses } from './network.ts'

export async function hostNameGrains(machine: Machine): Promise<Dict> {
  const hostname = await machine.host.hostname()
  const ran = await machine.run('getent', 'ahosts', hostname)
  const { name, addresses } = parseAhosts(ran?.retcode === 0 ? ran.stdout : '')
  const fqdn = (name ?? hostname) || 'localhost.localdomain'
  const dot = fqdn.indexOf('.')
  return new Map<Value, Value>([
    ['localhost', hostname],
    ['fqdn', fqdn],
    ['host', dot < 0 ? fqdn : fqdn.slice(0, dot)],
    ['domain', dot < 0 ? '' : fqdn.slice(dot + 1)],
    ['fqdn_ip4', addresses.filter((address) => !address.includes(':'))],
    ['fqdn_ip6', addresses.filter((address) => address.includes(':'))],
  ])
}

/** Parse lines of `address kind name`; the canonical name is in the line of the first address. */
export function parseAhosts(output: string): { name: string | undefined; addresses: string[] } {
  const rows = output.split('\n').map((line) => line.trim().split(/\s+/))
  const addresses = rows.map(([address]) => address!).filter((address) => address !== '')
  return { name: rows.find((row) => row[2] !== undefined)?.[2], addresses: [...new Set(addresses)] }
}

/** Names of all addresses but the loopback's, sorted; none unless `enable_fqdns_grains` allows it. */
export async function fqdnsGrain(machine: Machine, interfaces: readonly Interface[], enabled: boolean): Promise<Dict> {
  const addresses = enabled ? outerAddresses(interfaces) : []
  const names = addresses.length === 0 ? [] : namesIn(await askAll(machine, addresses))
  return new Map([['fqdns', [...new Set(names)].sort()]])
}

/** All at the same time, in one shell, because each may wait for a name server. */
async function askAll(machine: Machine, addresses: readonly string[]): Promise<string> {
  const together = ['/bin/sh', '-c', 'for a; do getent hosts "$a" & done; wait', 'sh', ...addresses]
  const ran = await machine.run(...together)
  if (ran !== undefined) return ran.stdout
  return (await Promise.all(addresses.map((address) => machine.output('getent', 'hosts', address)))).join('\n')
}

function namesIn(lines: string): string[] {
  return lines.split('\n').flatMap((line) => {
    const [, ...names] = line.trim().split(/\s+/)
    return names.find((name) => name.includes('.')) ?? names[0] ?? []
  })
}
