// IP addresses as text and as numbers, with the rules and the error texts of Python's `ipaddress` module: no leading
// zeros in an octet, one `::`, an optional IPv4 tail and scope in IPv6.
import { PyError } from './errors.ts'
import { quote } from './repr.ts'

export type IpVersion = 4 | 6

/** The text is not an address, or not a netmask, of the version that was tried. */
export class IpTextError extends PyError {
  constructor(message: string) {
    super('ValueError', message)
  }
}

export const BITS: Readonly<Record<IpVersion, number>> = { 4: 32, 6: 128 }
export const ALL_ONES: Readonly<Record<IpVersion, bigint>> = { 4: (1n << 32n) - 1n, 6: (1n << 128n) - 1n }

function parseOctet(octet: string): bigint {
  if (octet === '') throw new IpTextError('Empty octet not permitted')
  if (!/^[0-9]+$/.test(octet)) throw new IpTextError(`Only decimal digits permitted in ${quote(octet)}`)
  if (octet.length > 3) throw new IpTextError(`At most 3 characters permitted in ${quote(octet)}`)
  if (octet !== '0' && octet.startsWith('0')) {
    throw new IpTextError(`Leading zeros are not permitted in ${quote(octet)}`)
  }
  if (Number(octet) > 255) throw new IpTextError(`Octet ${Number(octet)} (> 255) not permitted`)
  return BigInt(octet)
}

/** Runs `parse` and names the whole text in the error of a part of it. */
function within<T>(text: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof IpTextError) throw new IpTextError(`${error.message} in ${quote(text)}`)
    throw error
  }
}

export function parseIpv4Text(text: string): bigint {
  if (text === '') throw new IpTextError('Address cannot be empty')
  const octets = text.split('.')
  if (octets.length !== 4) throw new IpTextError(`Expected 4 octets in ${quote(text)}`)
  return within(text, () => octets.reduce((sum, octet) => (sum << 8n) | parseOctet(octet), 0n))
}

function parseHextet(hextet: string): bigint {
  if (!/^[0-9A-Fa-f]*$/.test(hextet)) throw new IpTextError(`Only hex digits permitted in ${quote(hextet)}`)
  if (hextet.length > 4) throw new IpTextError(`At most 4 characters permitted in ${quote(hextet)}`)
  return BigInt(`0x${hextet}`)
}

/** Return the position of `::` among the parts of an address, or undefined. */
function findGap(parts: readonly string[], text: string): number | undefined {
  let gap: number | undefined
  for (let i = 1; i < parts.length - 1; i++) {
    if (parts[i] !== '') continue
    if (gap !== undefined) throw new IpTextError(`At most one '::' permitted in ${quote(text)}`)
    gap = i
  }
  return gap
}

const leadingColon = (text: string): IpTextError =>
  new IpTextError(`Leading ':' only permitted as part of '::' in ${quote(text)}`)
const trailingColon = (text: string): IpTextError =>
  new IpTextError(`Trailing ':' only permitted as part of '::' in ${quote(text)}`)

/** Return the eight hextets of `parts`. */
function expandParts(parts: readonly string[], text: string): string[] {
  const gap = findGap(parts, text)
  if (gap === undefined) {
    if (parts.length !== 8) throw new IpTextError(`Exactly 8 parts expected without '::' in ${quote(text)}`)
    if (parts[0] === '') throw leadingColon(text)
    if (parts[7] === '') throw trailingColon(text)
    return [...parts]
  }
  let high = gap
  let low = parts.length - gap - 1
  if (parts[0] === '' && --high > 0) throw leadingColon(text)
  if (parts.at(-1) === '' && --low > 0) throw trailingColon(text)
  const skipped = 8 - (high + low)
  if (skipped < 1) throw new IpTextError(`Expected at most 7 other parts with '::' in ${quote(text)}`)
  return [...parts.slice(0, high), ...Array<string>(skipped).fill('0'), ...parts.slice(parts.length - low)]
}

export function parseIpv6Text(text: string): bigint {
  if (text === '') throw new IpTextError('Address cannot be empty')
  const parts = text.split(':')
  if (parts.length < 3) throw new IpTextError(`At least 3 parts expected in ${quote(text)}`)
  if (parts.at(-1)!.includes('.')) {
    const tail = within(text, () => parseIpv4Text(parts.pop()!))
    parts.push((tail >> 16n).toString(16), (tail & 0xffffn).toString(16))
  }
  if (parts.length > 9) throw new IpTextError(`At most 8 colons permitted in ${quote(text)}`)
  const hextets = expandParts(parts, text)
  return within(text, () => hextets.reduce((sum, hextet) => (sum << 16n) | parseHextet(hextet), 0n))
}

export function formatIpv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.')
}

/** The short form: the first longest run of at least two zero hextets becomes `::`. */
export function formatIpv6(value: bigint): string {
  const hextets = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16))
  let start = -1
  let length = 1
  for (let i = 0; i < 8; i++) {
    let run = 0
    while (hextets[i + run] === '0') run++
    if (run > length) {
      start = i
      length = run
    }
    i += run
  }
  if (start < 0) return hextets.join(':')
  return `${hextets.slice(0, start).join(':')}::${hextets.slice(start + length).join(':')}`
}

export function netmaskOf(version: IpVersion, prefix: number): bigint {
  return ALL_ONES[version] ^ (ALL_ONES[version] >> BigInt(prefix))
}

/** Return the prefix length of a netmask; undefined if ones and zeros are mixed. */
function prefixOfMask(mask: bigint): number | undefined {
  for (let prefix = 0; prefix <= 32; prefix++) if (netmaskOf(4, prefix) === mask) return prefix
  return undefined
}

/** A prefix length from `24`, and for IPv4 from `255.255.255.0` and the host mask `0.0.0.255`. */
export function parsePrefix(version: IpVersion, text: string): number {
  const invalid = new IpTextError(`${quote(text)} is not a valid netmask`)
  if (/^[0-9]+$/.test(text)) {
    if (Number(text) <= BITS[version]) return Number(text)
    throw invalid
  }
  if (version === 6) throw invalid
  try {
    const mask = parseIpv4Text(text)
    const prefix = prefixOfMask(mask) ?? prefixOfMask(mask ^ ALL_ONES[4])
    if (prefix !== undefined) return prefix
  } catch (error) {
    if (!(error instanceof IpTextError)) throw error
  }
  throw invalid
}
