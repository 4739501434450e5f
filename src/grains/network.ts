// Network interfaces and their addresses, from `ip addr show` or ifconfig, and the default gateways.
import { type Dict, dictFrom, type IpAddress, ipAddress, type Value } from '../data/mod.ts'
import type { Machine } from './machine.ts'

export interface Interface {
  name: string
  hwaddr?: string
  /** Addresses by family, secondary ones last. */
  inet: string[]
  inet6: string[]
  /** The secondary addresses of both families. */
  secondary?: string[]
}

export async function interfacesOf(machine: Machine): Promise<Interface[]> {
  const ip = await machine.which('ip')
  if (ip !== undefined) return parseIpAddr(await machine.output(ip, 'addr', 'show'))
  const ifconfig = await machine.which('ifconfig')
  return ifconfig === undefined ? [] : parseIfconfig(await machine.output(ifconfig, '-a'))
}

export function parseIpAddr(output: string): Interface[] {
  const interfaces: Array<Omit<Interface, 'secondary'> & { secondary: Record<'inet' | 'inet6', string[]> }> = []
  for (const line of output.split('\n')) {
    const head = /^\d+:\s+([\w.-]+)(?:@[\w.-]+)?:\s+</.exec(line)
    if (head) {
      interfaces.push({ name: head[1]!, inet: [], inet6: [], secondary: { inet: [], inet6: [] } })
      continue
    }
    const current = interfaces.at(-1)
    const [kind, value, ...words] = line.trim().split(/\s+/)
    if (current === undefined || kind === undefined || value === undefined) continue
    if (kind.startsWith('link')) current.hwaddr = value
    else if (kind === 'inet' || kind === 'inet6') {
      const list = words.includes('secondary') ? current.secondary[kind] : current[kind]
      list.push(value.split('/')[0]!)
    }
  }
  return interfaces.map(({ secondary: { inet, inet6 }, ...face }) => ({
    ...face,
    inet: [...face.inet, ...inet],
    inet6: [...face.inet6, ...inet6],
    ...(inet.length + inet6.length > 0 && { secondary: [...inet, ...inet6] }),
  }))
}

/** Parse the output of macOS, the BSDs and old Linux. */
export function parseIfconfig(output: string): Interface[] {
  return output.split(/\r?\n(?=\S)/).flatMap((group) => {
    const name = /^([^\s:]+)/.exec(group)?.[1]
    if (name === undefined) return []
    const hwaddr = /(?:HWaddr|ether|address:|lladdr) ([0-9a-fA-F:]+)/.exec(group)?.[1]
    const inet = [...group.matchAll(/(?:inet addr:|inet )\s*([\d.]+)/g)].map((match) => match[1]!)
    const inet6 = [...group.matchAll(/(?:inet6 addr: |inet6 )([0-9a-fA-F:]+)/g)].map((match) => match[1]!)
    return [{ name, inet, inet6, ...(hwaddr !== undefined && { hwaddr }) }]
  })
}

export function interfaceGrains(interfaces: readonly Interface[]): Dict {
  const by = (addresses: (face: Interface) => string[]): Dict =>
    new Map<Value, Value>(interfaces.map((face) => [face.name, addresses(face)]))
  return new Map<Value, Value>([
    ['ip_interfaces', by(secondaryLast)],
    ['ip4_interfaces', by(({ inet }) => inet)],
    ['ip6_interfaces', by(({ inet6 }) => inet6)],
    [
      'hwaddr_interfaces',
      new Map(interfaces.flatMap(({ name, hwaddr }) => (hwaddr === undefined ? [] : [[name, hwaddr]]))),
    ],
    ['ipv4', inOrder(interfaces.flatMap(({ inet }) => inet))],
    ['ipv6', inOrder(interfaces.flatMap(({ inet6 }) => inet6))],
  ])
}

function secondaryLast({ inet, inet6, secondary = [] }: Interface): string[] {
  const isFirst = (address: string): boolean => !secondary.includes(address)
  return [...inet.filter(isFirst), ...inet6.filter(isFirst), ...secondary]
}

/** Each address once, by its number. */
function inOrder(addresses: readonly string[]): string[] {
  const known = new Map<bigint, IpAddress>()
  for (const address of addresses.map((text) => ipAddress(text))) known.set(address.value, address)
  return [...known.values()].sort((a, b) => (a.value < b.value ? -1 : 1)).map(String)
}

/** Addresses that other machines could know, for names in DNS. */
export function outerAddresses(interfaces: readonly Interface[]): string[] {
  const addresses = interfaces.flatMap(({ inet, inet6 }) => [...inet, ...inet6])
  return [...new Set(addresses)].filter((text) => !ipAddress(text).isLoopback)
}

export async function gatewayGrains(machine: Machine): Promise<Dict> {
  const ip = await machine.which('ip')
  if (ip === undefined) return new Map()
  const [four, six] = await Promise.all(['-4', '-6'].map((family) => machine.output(ip, family, 'route', 'show')))
  const [gateway4, gateway6] = [gatewayIn(four!), gatewayIn(six!)]
  return dictFrom({ ip_gw: gateway4 !== false || gateway6 !== false, ip4_gw: gateway4, ip6_gw: gateway6 })
}

/** The address, True for a default route without one, or False. */
export function gatewayIn(routes: string): string | boolean {
  const route = routes.split('\n').find((line) => line.startsWith('default'))
  const [, via, address] = route?.trim().split(/\s+/) ?? []
  return route === undefined ? false : via === 'via' && address !== undefined ? address : true
}
