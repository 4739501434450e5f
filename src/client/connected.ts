// Which minions are connected to the publish port of the master on this machine: those that have, by their grains, an
// address at the other end of one of its connections. Several on one address cannot be told apart.
import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str } from '../data/mod.ts'
import type { DataCache } from '../store/mod.ts'

const ESTABLISHED = '01'

/** Whether a minion is surely gone: it is known, others are connected, and it is not. */
export function goneMinions(opts: Dict, cache: DataCache): (id: string) => boolean {
  if (!option(opts, 'minion_data_cache')) return () => false
  const addresses = connectedAddresses(option(opts, 'publish_port'))
  const grains = cache.bank('grains')
  const isConnected = (id: string): boolean => {
    const known = grains.fetch(id)
    return known !== undefined && isDict(known) && addressesOf(known).some((address) => addresses.has(address))
  }
  let isAnyone: boolean | undefined
  return (id) => {
    if (addresses.size === 0 || grains.fetch(id) === undefined || isConnected(id)) return false
    isAnyone ??= grains.list().some(isConnected)
    return isAnyone
  }
}

const addressesOf = (grains: Dict): string[] =>
  ['ipv4', 'ipv6'].flatMap((name) => {
    const found = grains.get(name)
    return found !== undefined && isList(found) ? found.map(str) : []
  })

function connectedAddresses(port: number): Set<string> {
  const found = new Set<string>()
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readLines(file)) {
      const [, local, remote, state] = line.trim().split(/\s+/)
      if (state !== ESTABLISHED || Number.parseInt(local!.split(':')[1]!, 16) !== port) continue
      found.add(addressOf(remote!.split(':')[0]!))
    }
  }
  // who is here is known by the machine's other addresses
  if (found.delete('127.0.0.1')) for (const address of ownAddresses('IPv4')) found.add(address)
  if (found.delete('::1')) for (const address of ownAddresses('IPv6')) found.add(address)
  return found
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1).filter(Boolean)
  } catch (error) {
    // other systems have no such file, and nothing is known
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Words of four bytes, each with its last byte first. */
function addressOf(hex: string): string {
  const bytes = hex.match(/.{8}/g)!.flatMap((word) => word.match(/../g)!.reverse())
  const numbers = bytes.map((byte) => Number.parseInt(byte, 16))
  if (numbers.length === 4) return numbers.join('.')
  if (numbers.slice(0, 10).every((byte) => byte === 0) && numbers[10] === 255) return numbers.slice(12).join('.')
  const groups = Array.from({ length: 8 }, (_, at) => ((numbers[at * 2]! << 8) | numbers[at * 2 + 1]!).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

const ownAddresses = (family: string): string[] =>
  Object.values(networkInterfaces()).flatMap((each) =>
    (each ?? []).filter((own) => own.family === family && !own.internal).map(({ address }) => address),
  )
