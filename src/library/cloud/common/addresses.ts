// Addresses of machines: which are public, and which one to connect to.
import { isAnyError, recover } from '../../../base/mod.ts'
import { type IpAddress, ipAddress, ipNetwork, SaltError, str, type Value } from '../../../data/mod.ts'
import { arg } from '../../../sdk/mod.ts'

export const addressSettings = {
  ignore_cidr: arg.textOrList('Networks whose addresses are not used to reach the machine', { default: [] }),
  protocol: arg.text('`ipv4` or `ipv6`: addresses that are used to reach the machine', { default: 'ipv4' }),
} as const

interface AddressSettings {
  ignore_cidr: string | Value[]
  protocol: string
}

interface Addresses {
  private_ips: string[]
  public_ips: string[]
}

/** Return an address, or undefined for a text that is none. */
function parsed(text: string): IpAddress | undefined {
  return recover(isAnyError, undefined, () => ipAddress(text))
}

/**
 * Sort unique addresses into private and public ones. Those that are valid only within a machine or a link are dropped.
 */
export function sortedAddresses(texts: readonly string[]): Addresses {
  const all: Addresses = { private_ips: [], public_ips: [] }
  for (const text of new Set(texts)) {
    const address = parsed(text)
    if (address === undefined || address.isLoopback || address.isLinkLocal) continue
    all[address.isPrivate ? 'private_ips' : 'public_ips'].push(text)
  }
  return all
}

/** Return the addresses that may be used, and an error for a setting that says nothing sensible. */
export function usableAddresses(texts: readonly string[], { ignore_cidr, protocol }: AddressSettings): string[] {
  const version = protocol === 'ipv6' ? 6 : 4
  const ignored = [ignore_cidr].flat().map((text) => {
    try {
      return ipNetwork(str(text), false)
    } catch {
      throw new SaltError('SaltCloudConfigError', `ignore_cidr has the value '${str(text)}', which is no network`)
    }
  })
  return texts.filter((text) => {
    const address = parsed(text)
    return address?.version === version && !ignored.some((network) => network.contains(address))
  })
}

/** Return addresses with the usable ones first. */
export function usableFirst<T extends Addresses>(found: T, settings: AddressSettings): T {
  const ordered = (texts: string[]): string[] => {
    const usable = usableAddresses(texts, settings)
    return [...usable, ...texts.filter((text) => !usable.includes(text))]
  }
  return { ...found, private_ips: ordered(found.private_ips), public_ips: ordered(found.public_ips) }
}
