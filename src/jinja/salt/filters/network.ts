// Salt's filters on IP addresses that need no network. An input that is no address gives None, not an error,
// and text with a prefix counts as an address that keeps it.
import {
  equals,
  type IpAddress,
  ipAddress,
  ipInterface,
  ipNetwork,
  iterate,
  networkSize,
  PyError,
  PyStr,
  str,
  truthy,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import { classText, isListLike, isSequence } from '../python-type.ts'
import { splittable } from './text.ts'

type Check = (address: IpAddress) => boolean

const isLinkLocal: Check = (address) => address.isLinkLocal
const isLoopback: Check = (address) => address.isLoopback
const isSiteLocal: Check = (address) => address.version === 6 && address.isSiteLocal
const isPublic: Check = (address) => !address.isPrivate

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ['global', isPublic],
  ['link-local', isLinkLocal],
  ['linklocal', isLinkLocal],
  ['ll', isLinkLocal],
  ['link_local', isLinkLocal],
  ['loopback', isLoopback],
  ['lo', isLoopback],
  ['multicast', (address) => address.isMulticast],
  ['private', (address) => address.isPrivate],
  ['public', isPublic],
  ['reserved', (address) => address.isReserved],
  ['site-local', isSiteLocal],
  ['sl', isSiteLocal],
  ['site_local', isSiteLocal],
  ['unspecified', (address) => address.isUnspecified],
])

/** Return the result of `make`; undefined if Python would raise ValueError. */
function unlessValueError<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof PyError && error.code === 'ValueError') return undefined
    throw error
  }
}

/** Return the address in canonical form if it has the version and all requested properties, else null. */
function ofVersion(input: Value, version: number, options: Value): string | null {
  const address = unlessValueError(() => ipAddress(input)) ?? unlessValueError(() => ipInterface(input))
  if (address === undefined || address.version !== version) return null
  if (!truthy(options)) return String(address)
  for (const option of splittable(options).split(',')) if (CHECKS.get(option.trim())?.(address) === false) return null
  return String(address)
}

function onlyVersion(value: Value, version: number, options: Value): Value {
  if (typeof value === 'string' || value instanceof PyStr || value instanceof Uint8Array) {
    return ofVersion(value, version, options)
  }
  if (!isListLike(value)) return null
  const kept: Value[] = []
  for (const item of iterate(value)) {
    const address = ofVersion(item, version, options)
    if (address !== null) kept.push(address)
  }
  return kept
}

function anyVersion(value: Value, options: Value): Value {
  const v4 = onlyVersion(value, 4, options)
  const v6 = onlyVersion(value, 6, options)
  return Array.isArray(v4) && Array.isArray(v6) ? [...v4, ...v6] : (v4 ?? v6)
}

/** The addresses among the input, one by one through `each`: a list for a list, one answer for one address. */
function overAddresses(value: Value, options: Value, version: Value, each: (address: Value) => Value): Value {
  let found: Value = null
  if (!truthy(version)) found = anyVersion(value, options)
  else for (const known of [4, 6]) if (equals(version, known)) found = onlyVersion(value, known, options)
  if (!truthy(found)) return null
  return Array.isArray(found) ? found.map(each) : each(found)
}

/** More than anyone lists; Python would fill the memory. */
const MOST_HOSTS = 1n << 24n

function networkHosts(entry: Value): Value {
  const network = ipNetwork(entry, false)
  if (network.size > MOST_HOSTS) throw new PyError('MemoryError', `${network} has too many hosts to list`)
  return Array.from(network.hosts(), String)
}

function filterByNetworks(values: Value, networks: Value): Value {
  if (networks === null) return values
  const wanted = Array.from(iterate(networks), (network) => ipNetwork(network))
  const filter = (addresses: Value): Value[] => {
    const kept: Value[] = []
    for (const address of iterate(addresses)) {
      for (const network of wanted) if (network.contains(ipAddress(address))) kept.push(address)
    }
    return kept
  }
  if (values instanceof Map) {
    const kept = new Map<Value, Value>()
    for (const [name, addresses] of values) kept.set(name, filter(addresses))
    return kept
  }
  if (isSequence(values)) return filter(values)
  throw valueError(`Do not know how to filter a ${classText(values)}`)
}

/** `[::1]` for an IPv6 address, as a URL wants it. */
export function bracketed(address: Value): string {
  const bare = ipAddress(str(address).replace(/^\[+/, '').replace(/\]+$/, ''))
  return bare.version === 6 ? `[${bare}]` : String(bare)
}

function ipWrap(data: Value): Value {
  const wrap = (item: Value): Value => (ofVersion(item, 6, null) === null ? item : bracketed(item))
  return Array.isArray(data) ? Array.from(data, wrap) : wrap(data)
}

const OPTIONS = ['value', 'options?'] as const
const OPTIONS_VERSION = ['value', 'options?', 'version?'] as const

export const networkFilters: NativeTable = {
  is_ip: native('is_ip_filter', ['ip_addr', 'options?'], (_rt, address, options = null) => {
    return ofVersion(address, 4, options) !== null || ofVersion(address, 6, options) !== null
  }),
  is_ipv4: native('is_ipv4_filter', ['ip_addr', 'options?'], (_rt, address, options = null) => {
    return ofVersion(address, 4, options) !== null
  }),
  is_ipv6: native('is_ipv6_filter', ['ip_addr', 'options?'], (_rt, address, options = null) => {
    return ofVersion(address, 6, options) !== null
  }),
  ipv4: native('ipv4', OPTIONS, (_rt, value, options = null) => onlyVersion(value, 4, options)),
  ipv6: native('ipv6', OPTIONS, (_rt, value, options = null) => onlyVersion(value, 6, options)),
  ipaddr: native('ipaddr', OPTIONS, (_rt, value, options = null) => anyVersion(value, options)),
  ip_host: native('ip_host', OPTIONS_VERSION, (_rt, value, options = null, version = null) =>
    overAddresses(value, options, version, (address) => String(ipInterface(address))),
  ),
  network_hosts: native('network_hosts', OPTIONS_VERSION, (_rt, value, options = null, version = null) =>
    overAddresses(value, options, version, networkHosts),
  ),
  network_size: native('network_size', OPTIONS_VERSION, (_rt, value, options = null, version = null) =>
    overAddresses(value, options, version, (address) => networkSize(ipNetwork(address, false))),
  ),
  filter_by_networks: native('filter_by_networks', ['values', 'networks'], (_rt, values, networks) =>
    filterByNetworks(values, networks),
  ),
  ipwrap: native('ipwrap', ['data'], (_rt, data) => ipWrap(data)),
}
