// The resolver's configuration.
import { isA, recover } from '../base/mod.ts'
import { type Dict, IpAddress, ipAddress, ipNetwork, PyError, type Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'

export async function dnsGrain(machine: Machine): Promise<Dict> {
  const text = (await machine.text('/run/systemd/resolve/resolv.conf')) ?? (await machine.text('/etc/resolv.conf'))
  return text === undefined ? new Map() : new Map([['dns', parseResolv(text)]])
}

export function parseResolv(text: string): Dict {
  const servers: string[] = []
  const sortlist: string[] = []
  const options: string[] = []
  let domain = ''
  let search: string[] = []
  const add = (list: string[], item: string): void => {
    if (!list.includes(item)) list.push(item)
  }
  for (const line of text.split('\n')) {
    const [directive, ...words] = line.trim().split(/\s+/)
    const comment = words.findIndex((word) => /^[#;]/.test(word))
    const args = comment < 0 ? words : words.slice(0, comment)
    const [first] = args
    if (first === undefined) continue
    switch (directive!.toLowerCase()) {
      case 'nameserver':
        for (const server of readable(() => String(ipAddress(first)))) add(servers, server)
        break
      case 'domain':
        domain = first
        break
      case 'search':
        search = args
        break
      case 'sortlist':
        for (const network of args.flatMap((word) => readable(() => withNetmask(word)))) add(sortlist, network)
        break
      case 'options':
        add(options, first)
        break
    }
  }
  return new Map<Value, Value>([
    ['nameservers', servers],
    ['ip4_nameservers', servers.filter((server) => !server.includes(':'))],
    ['ip6_nameservers', servers.filter((server) => server.includes(':'))],
    ['sortlist', sortlist],
    ['domain', domain],
    ['search', search],
    ['options', options],
  ])
}

/** Return the result in a list; an empty list for an invalid address. */
function readable(read: () => string): string[] {
  return recover(isA(PyError), [], () => [read()])
}

/** Add the netmask of the address class to a bare IPv4 address. */
function withNetmask(word: string): string {
  const first = Number.parseInt(word, 10)
  const natural = first >= 192 ? 24 : first >= 128 ? 16 : 8
  const isBare = !word.includes('/') && !word.includes(':')
  const network = isBare ? ipNetwork(`${ipAddress(word)}/${natural}`, false) : ipNetwork(word)
  return `${network.address}/${new IpAddress(network.version, network.netmask)}`
}
