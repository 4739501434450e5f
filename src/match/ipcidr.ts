// Matches an address, or a network that holds one of the minion's addresses. A network with host bits set is refused.
import { BrineError } from '../base/mod.ts'
import { contains, type IpAddress, type IpNetwork, ipAddress, ipNetwork, str, type Value } from '../data/mod.ts'
import type { Matcher } from './subject.ts'

export const ipcidr: Matcher = (target, subject) => {
  const wanted = addressOrNetwork(target)
  if (wanted === undefined) {
    subject.log?.('error', `Invalid IP/CIDR target: ${str(target)}`)
    return []
  }
  const addresses = subject.grains.get(`ipv${wanted.version}`)
  if (addresses === undefined) return false
  if (!('prefix' in wanted)) return contains(addresses, wanted.toString())
  const each = Array.isArray(addresses) ? addresses : [addresses]
  return each.some((address) => wanted.contains(ipAddress(address)))
}

/** Whether a target is an address or a network. */
export const isAddressTarget = (target: Value): boolean => addressOrNetwork(target) !== undefined

function addressOrNetwork(target: Value): IpAddress | IpNetwork | undefined {
  for (const read of [ipAddress, ipNetwork]) {
    try {
      return read(target)
    } catch (error) {
      // the next reading may take it
      if (!(error instanceof BrineError)) throw error
    }
  }
  return undefined
}
