// The addresses of container ports, from the results of docker.ps in the mine.
import { type Dict, ipAddress, ipNetwork, str, truthy, tuple, type Value } from '../../../../data/mod.ts'

function addresses(host: Dict, interfaces: readonly string[], networks: readonly string[]): string[] {
  const known = host.get('interfaces') as Dict
  const chosen = interfaces.length === 0 ? [...known.values()] : interfaces.map((name) => known.get(name) ?? null)
  const all = chosen.flatMap((info) => {
    const inet = info instanceof Map ? info.get('inet') : undefined
    return ((inet ?? []) as Dict[]).map((entry) => str(entry.get('address')!))
  })
  const isIn = (ip: string): boolean => networks.some((network) => ipNetwork(network).contains(ipAddress(ip)))
  return [...new Set(networks.length === 0 ? all : all.filter(isIn))]
}

export function dockerPorts(
  hosts: Dict,
  interfaces: readonly string[],
  cidrs: readonly string[],
  withId: boolean,
): Dict {
  const images: Dict = new Map()
  for (const containers of hosts.values() as Iterable<Dict>) {
    const own = addresses(containers.get('host') as Dict, interfaces, cidrs)
    for (const [name, container] of containers as Map<string, Dict>) {
      if (name === 'host') continue
      const id = (container.get('Info') as Dict).get('Id')!
      const image = container.get('Image')!
      const ports = (images.get(image) ?? new Map()) as Dict
      images.set(image, ports)
      for (const port of container.get('Ports') as Dict[]) note(ports, port, own, withId ? id : null)
    }
  }
  return images
}

/** Add the addresses of a port. A port on 0.0.0.0 has each address of the host. */
function note(image: Dict, port: Dict, own: readonly string[], id: Value): void {
  const address = port.get('IP') ?? null
  if (!truthy(address)) return
  const byPort = (image.get('ipv4') ?? new Map()) as Dict
  const list = (byPort.get(port.get('PrivatePort')!) ?? []) as Value[]
  for (const ip of address === '0.0.0.0' ? own : [str(address)]) {
    const place = `${ip}:${str(port.get('PublicPort') ?? null)}`
    const isNoted = list.some((held) => (Array.isArray(held) ? held[0] === place && held[1] === id : held === place))
    if (!isNoted) list.push(id === null ? place : tuple([place, id]))
  }
  if (list.length > 0) image.set('ipv4', byPort.set(port.get('PrivatePort')!, list))
}
