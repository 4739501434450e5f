// Addresses, interfaces and networks like Python's `ipaddress` module: built from text, ints, packed bytes or an
// (address, mask) tuple, with Python's error texts. Used by filters, matchers and grains.
import { assertHashable } from './dict.ts'
import { valueError } from './errors.ts'
import * as ranges from './ip-ranges.ts'
import {
  ALL_ONES,
  BITS,
  formatIpv4,
  formatIpv6,
  IpTextError,
  type IpVersion,
  netmaskOf,
  parseIpv4Text,
  parseIpv6Text,
  parsePrefix,
} from './ip-text.ts'
import { repr, str } from './repr.ts'
import { indexError } from './sequence.ts'
import { int, isInt, Tuple, type Value } from './value.ts'

export class IpAddress {
  readonly version: IpVersion
  readonly value: bigint
  /** The zone of `fe80::1%eth0`. */
  readonly scope: string | null

  constructor(version: IpVersion, value: bigint, scope: string | null = null) {
    this.version = version
    this.value = value
    this.scope = scope
  }

  toString(): string {
    if (this.version === 4) return formatIpv4(this.value)
    return this.scope === null ? formatIpv6(this.value) : `${formatIpv6(this.value)}%${this.scope}`
  }

  get isPrivate(): boolean {
    return ranges.isPrivate(this.version, this.value)
  }
  get isGlobal(): boolean {
    return ranges.isGlobal(this.version, this.value)
  }
  get isReserved(): boolean {
    return ranges.isReserved(this.version, this.value)
  }
  get isLinkLocal(): boolean {
    return ranges.isLinkLocal(this.version, this.value)
  }
  get isMulticast(): boolean {
    return ranges.isMulticast(this.version, this.value)
  }
  get isSiteLocal(): boolean {
    return ranges.isSiteLocal(this.version, this.value)
  }
  get isLoopback(): boolean {
    return ranges.isLoopback(this.version, this.value)
  }
  get isUnspecified(): boolean {
    return this.value === 0n
  }
}

export class IpNetwork {
  readonly version: IpVersion
  readonly address: IpAddress
  readonly prefix: number

  constructor(address: IpAddress, prefix: number) {
    this.version = address.version
    this.address = address
    this.prefix = prefix
  }

  get netmask(): bigint {
    return netmaskOf(this.version, this.prefix)
  }
  get broadcast(): bigint {
    return this.address.value | (this.netmask ^ ALL_ONES[this.version])
  }
  get size(): bigint {
    return this.broadcast - this.address.value + 1n
  }

  toString(): string {
    return `${this.address}/${this.prefix}`
  }

  contains(address: IpAddress): boolean {
    return address.version === this.version && (address.value & this.netmask) === this.address.value
  }

  /** The usable hosts: without network and broadcast address in IPv4, without the router anycast in IPv6. */
  *hosts(): Generator<IpAddress> {
    const bits = BITS[this.version]
    if (this.prefix === bits) {
      yield this.address
      return
    }
    const all = this.prefix === bits - 1
    const first = all ? this.address.value : this.address.value + 1n
    const last = all || this.version === 6 ? this.broadcast : this.broadcast - 1n
    for (let value = first; value <= last; value++) yield new IpAddress(this.version, value)
  }
}

/** An address together with the network it is on. */
export class IpInterface extends IpAddress {
  readonly network: IpNetwork

  constructor(address: IpAddress, network: IpNetwork) {
    super(address.version, address.value, address.scope)
    this.network = network
  }

  override toString(): string {
    return `${super.toString()}/${this.network.prefix}`
  }

  // Python compares with a bare address here, which no IPv4 interface equals
  override get isUnspecified(): boolean {
    return this.version === 6 && super.isUnspecified && this.network.prefix === 128
  }

  override get isLoopback(): boolean {
    return super.isLoopback && (this.version === 4 || this.network.prefix === 128)
  }
}

function addressFromInt(version: IpVersion, value: bigint): IpAddress {
  if (value < 0n) throw new IpTextError(`${value} (< 0) is not permitted as an IPv${version} address`)
  if (value > ALL_ONES[version]) {
    throw new IpTextError(`${value} (>= 2**${BITS[version]}) is not permitted as an IPv${version} address`)
  }
  return new IpAddress(version, value)
}

function addressFromBytes(version: IpVersion, bytes: Uint8Array): IpAddress {
  const wanted = BITS[version] / 8
  if (bytes.length !== wanted) {
    throw new IpTextError(
      `${repr(bytes)} (len ${bytes.length} != ${wanted}) is not permitted as an IPv${version} address`,
    )
  }
  return new IpAddress(version, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
}

function splitScope(text: string): [string, string | null] {
  const at = text.indexOf('%')
  if (at < 0) return [text, null]
  const scope = text.slice(at + 1)
  if (scope === '' || scope.includes('%')) throw new IpTextError(`Invalid IPv6 address: "${repr(text)}"`)
  return [text.slice(0, at), scope]
}

function addressOf(version: IpVersion, input: Value): IpAddress {
  if (isInt(input) || typeof input === 'boolean') return addressFromInt(version, BigInt(input))
  if (input instanceof Uint8Array) return addressFromBytes(version, input)
  const text = str(input)
  if (text.includes('/')) throw new IpTextError(`Unexpected '/' in ${repr(input)}`)
  if (version === 4) return new IpAddress(4, parseIpv4Text(text))
  const [bare, scope] = splitScope(text)
  return new IpAddress(6, parseIpv6Text(bare), scope)
}

/** Return address and mask from the input of a network or an interface. */
function splitMask(version: IpVersion, input: Value): [Value, Value] {
  if (isInt(input) || typeof input === 'boolean' || input instanceof Uint8Array) return [input, BITS[version]]
  const parts = input instanceof Tuple ? input : str(input).split('/')
  if (parts.length > 2) {
    if (input instanceof Tuple) throw valueError('too many values to unpack (expected 2)')
    throw new IpTextError(`Only one '/' permitted in ${repr(input)}`)
  }
  if (parts.length === 0) throw indexError('tuple index out of range')
  return [parts[0]!, parts.length > 1 ? parts[1]! : BITS[version]]
}

function prefixOf(version: IpVersion, mask: Value): number {
  assertHashable(mask)
  if (typeof mask === 'number' && Number.isInteger(mask)) {
    if (mask >= 0 && mask <= BITS[version]) return mask
    throw new IpTextError(`${mask} is not a valid netmask`)
  }
  return parsePrefix(version, str(mask))
}

function networkOf(version: IpVersion, input: Value, strict: boolean): IpNetwork {
  const [addressInput, mask] = splitMask(version, input)
  const address = addressOf(version, addressInput)
  const prefix = prefixOf(version, mask)
  const masked = address.value & netmaskOf(version, prefix)
  if (masked === address.value) return new IpNetwork(address, prefix)
  if (strict) throw valueError(`${address}/${prefix} has host bits set`)
  return new IpNetwork(new IpAddress(version, masked), prefix)
}

function interfaceOf(version: IpVersion, input: Value): IpInterface {
  return new IpInterface(addressOf(version, splitMask(version, input)[0]), networkOf(version, input, false))
}

/** Return the first version that accepts the input; if one version is requested, throw its own error. */
function eitherVersion<T>(
  input: Value,
  noun: string,
  version: IpVersion | undefined,
  make: (version: IpVersion) => T,
): T {
  if (version !== undefined) return make(version)
  for (const candidate of [4, 6] as const) {
    try {
      return make(candidate)
    } catch (error) {
      if (!(error instanceof IpTextError)) throw error
    }
  }
  throw valueError(`${repr(input)} does not appear to be an IPv4 or IPv6 ${noun}`)
}

/** `ipaddress.ip_address`, or with a version `IPv4Address` and `IPv6Address`. */
export function ipAddress(input: Value, version?: IpVersion): IpAddress {
  return eitherVersion(input, 'address', version, (candidate) => addressOf(candidate, input))
}

/** `ipaddress.ip_network`; strict refuses an address with host bits. */
export function ipNetwork(input: Value, strict = true, version?: IpVersion): IpNetwork {
  return eitherVersion(input, 'network', version, (candidate) => networkOf(candidate, input, strict))
}

/** `ipaddress.ip_interface`: an address that keeps its prefix. */
export function ipInterface(input: Value, version?: IpVersion): IpInterface {
  return eitherVersion(input, 'interface', version, (candidate) => interfaceOf(candidate, input))
}

/** The size of a network as a Python int. */
export const networkSize = (network: IpNetwork): number | bigint => int(network.size)
