// The minions that are connected to the publish port of the master on this machine: as in Salt, those with an address
// in their grains from which a connection comes. Minions behind one address cannot be distinguished.

import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { option } from '../config/mod.ts'
import { type Dict, isDict, isList, str } from '../data/mod.ts'
import type { DataCache } from '../store/mod.ts'

const ESTABLISHED = '01'

/** Decode an address in /proc: groups of four bytes in reverse order. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)))
  if (bytes.length === 4) return bytes.join('.')
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  if (isMapped) return bytes.slice(12).join('.')
  const groups = Array.from({ length: 8 }, (_, index) =>
    ((bytes[index * 2]! << 8) | bytes[index * 2 + 1]!).toString(16),
  )
  const text = new URL(`http://[${groups.join(':')}]`).hostname
  return text.slice(1, -1)
}

/** Return the remote addresses of connections to a port of this machine; empty if the system does not list them. */
function remoteAddresses(port: number): Set<string> {
  const found = new Set<string>()
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of linesOf(file)) {
      const [, local = '', remote = '', state] = line.trim().split(/\s+/)
      const isThere = Number.parseInt(local.split(':')[1] ?? '', 16) === port && state === ESTABLISHED
      if (isThere) found.add(addressOf(remote.split(':')[0]!))
    }
  }
  return found
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** A minion on this machine knows it by its other addresses. */
function withOwnAddresses(found: Set<string>): Set<string> {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  for (const [loopback, family] of [
    ['127.0.0.1', 'IPv4'],
    ['::1', 'IPv6'],
  ] as const) {
    if (!found.delete(loopback)) continue
    for (const address of own) if (address.family === family && !address.internal) found.add(address.address)
  }
  return found
}

/** Return the addresses that are connected to the publish port. */
export const connectedAddresses = (opts: Dict): Set<string> =>
  withOwnAddresses(remoteAddresses(option(opts, 'publish_port')))

/** Return the addresses of a minion. */
export const addressesIn = (grains: Dict): string[] =>
  ['ipv4', 'ipv6'].flatMap((name) => {
    const list = grains.get(name)
    return list !== undefined && isList(list) ? list.map(str) : []
  })

/** Return the ids of connected minions, each with its address. */
export function connectedMinions({ opts, cache }: { opts: Dict; cache: DataCache }): Map<string, string> {
  const addresses = connectedAddresses(opts)
  const bank = cache.bank('grains')
  const connected = new Map<string, string>()
  for (const id of bank.list().sort()) {
    const grains = bank.fetch(id)
    if (grains === undefined || !isDict(grains)) continue
    const address = addressesIn(grains).find((ip) => addresses.has(ip))
    if (address !== undefined) connected.set(id, address)
  }
  return connected
}

/** Return a test whether a minion is certainly gone: it is known, other minions are connected, and it is not. */
export function goneMinions(opts: Dict, cache: DataCache): (id: string) => boolean {
  if (!option(opts, 'minion_data_cache')) return () => false
  const addresses = connectedAddresses(opts)
  const bank = cache.bank('grains')
  const isConnected = (id: string): boolean => {
    const grains = bank.fetch(id)
    return grains !== undefined && isDict(grains) && addressesIn(grains).some((address) => addresses.has(address))
  }
  let isAnyConnected: boolean | undefined
  return (id) => {
    if (addresses.size === 0 || bank.fetch(id) === undefined || isConnected(id)) return false
    isAnyConnected ??= bank.list().some(isConnected)
    return isAnyConnected
  }
}
