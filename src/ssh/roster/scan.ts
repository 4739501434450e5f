// The scan roster: the target is an address or a network, and each address with an open port of `ssh_scan_ports` is a
// target. A single address is always a target.
import { BrineError, isA, recover } from '../../base/mod.ts'
import { option, rawOption } from '../../config/mod.ts'
import { type Dict, type IpNetwork, ipAddress, ipNetwork, str, textOf, type Value } from '../../data/mod.ts'
import { isHostError } from '../../host/mod.ts'
import type { Backend, RawEntry, RosterRequest } from './backend.ts'
import { RosterError } from './errors.ts'
import { texts } from './files.ts'

/** A /16 of IPv4. */
export const MOST_TARGETS = 65_536
const AT_ONCE = 256

export const scan: Backend = {
  chooses: true,
  async read(request) {
    const { tgt, tgtType } = request
    const words = tgtType === 'list' ? texts(tgt) : [textOf(tgt) ?? str(tgt)]
    const found = await openPorts(request, new Map(addressesIn(words).map(({ address }) => [address, address])))
    const entries = new Map<string, RawEntry>()
    for (const { address, isNamed } of addressesIn(words)) {
      const port = found.get(address)
      if (port !== undefined || isNamed) entries.set(address, settings(address, port))
    }
    return { source: words.join(','), entries }
  },
}

const settings = (host: string, port: number | undefined): Dict =>
  new Map<Value, Value>([['host', host], ...(port === undefined ? [] : ([['port', port]] as const))])

function addressesIn(words: readonly string[]): { address: string; isNamed: boolean }[] {
  const found: { address: string; isNamed: boolean }[] = []
  for (const word of words) {
    const network = read(ipNetwork, word)
    if (network === undefined) continue
    if (read(ipAddress, word) !== undefined) found.push({ address: str(word), isNamed: true })
    else for (const address of boundedHosts(network)) found.push({ address, isNamed: false })
    if (found.length > MOST_TARGETS) throw tooMany(words.join(','))
  }
  return found
}

function* boundedHosts(network: IpNetwork): Generator<string> {
  if (network.size > BigInt(MOST_TARGETS)) throw tooMany(network.toString())
  for (const address of network.hosts()) yield address.toString()
}

const tooMany = (what: string): RosterError =>
  new RosterError('InvalidTarget', `${what} has more than ${MOST_TARGETS} addresses; name a smaller network`)

function read<T>(reader: (text: string) => T, text: string): T | undefined {
  return recover(isA(BrineError), undefined, () => reader(text))
}

/** Return the ports of `ssh_scan_ports`. */
function scanPorts(opts: Dict): number[] {
  return texts(rawOption(opts, 'ssh_scan_ports')).map((text) => {
    const port = Number(text)
    if (Number.isInteger(port) && port > 0 && port <= 65_535) return port
    throw new RosterError('RosterBroken', `Option 'ssh_scan_ports' names '${text}', which is no port`)
  })
}

/** Return the open port by id, for each address by id that has one. Of several open ports, the last of the option counts, as in Salt. */
export async function openPorts(
  { opts, host }: RosterRequest,
  addresses: ReadonlyMap<string, string>,
): Promise<Map<string, number>> {
  const ports = scanPorts(opts)
  const timeout = Math.max(option(opts, 'ssh_scan_timeout'), 0.001)
  const isOpen = async (address: string, port: number): Promise<boolean> => {
    return recover(isHostError, false, async () => {
      const connection = await host.connect({ host: address, port }, { timeout })
      connection.close()
      return true
    })
  }
  const found = new Map<string, number>()
  const waiting = addresses.entries()
  const work = async (): Promise<void> => {
    for (const [id, address] of waiting) {
      for (const port of ports) if (await isOpen(address, port)) found.set(id, port)
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, addresses.size) }, work))
  return found
}
