// The names that alternative names, constraints and distribution points consist of: hosts, addresses, mail, URIs, …
import { failure, ipAddress, ipNetwork, misuse, PyError, typeName, type Value } from '../data/mod.ts'
import { type Bytes, type DerNode, decode, explicit, implicit, oidBytes } from './der.ts'
import { decodeName, encodeName, nameFrom, nameText } from './names.ts'

/** By the number of the context tag. */
const NUMBERS = { email: 1, dns: 2, dirname: 4, uri: 6, ip: 7, rid: 8 } as const
type Kind = keyof typeof NUMBERS

const ascii = (value: string): Bytes => new Uint8Array(Buffer.from(value, 'utf8'))

/** An encoded name of some kind. */
export function generalName(type: string, value: Value): Bytes {
  const kind = type.toLowerCase()
  if (kind === 'othername') throw misuse('otherName is currently not implemented')
  if (!Object.hasOwn(NUMBERS, kind)) throw failure(`GeneralName type ${kind} is invalid`)
  const number = NUMBERS[kind as Kind]
  switch (kind as Kind) {
    case 'dirname':
      return explicit(number, encodeName(nameFrom(value)))
    case 'rid':
      return implicit(number, oidBytes(checkedOid(value)))
    case 'ip':
      return implicit(number, addressBytes(value))
    case 'email':
      return implicit(number, ascii(mailAddress(text(value))))
    case 'uri':
      return implicit(number, ascii(location(text(value))))
    default:
      return implicit(number, ascii(domain(text(value), { dot: true, wildcard: true })))
  }
}

export const generalNames = (pairs: Iterable<readonly [string, Value]>): Bytes[] =>
  [...pairs].map(([type, value]) => generalName(type, value))

function text(value: Value): string {
  if (typeof value === 'string') return value
  const shown = `Expected string value, got ${typeName(value)}: \`${String(value)}\``
  throw misuse(shown)
}

export function checkedOid(value: Value): string {
  const oid = String(value)
  if (!/^[012]/.test(oid) || /[^\d.]/.test(oid)) throw failure(`Invalid oid: ${oid}`)
  return oid
}

function mailAddress(value: string): string {
  const at = value.lastIndexOf('@')
  return at < 0 ? domain(value, { dot: true }) : `${value.slice(0, at)}@${domain(value.slice(at + 1))}`
}

/** The host of a URI is a domain; the rest stays. */
function location(value: string): string {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)([^/?#]*)(.*)$/s.exec(value)
  return match?.[2] ? `${match[1]!}${domain(match[2]!)}${match[3]!}` : value
}

function domain(value: string, allowed: { dot?: boolean; wildcard?: boolean } = {}): string {
  const dot = value.startsWith('.')
  if (dot && !allowed.dot) throw failure('Leading dots are not allowed in this context')
  const bare = dot ? value.replace(/^\.+/, '') : value
  const wildcard = bare.startsWith('*.')
  if (wildcard && !allowed.wildcard) throw failure('Wildcards are not allowed in this context')
  if (wildcard && dot) throw failure('Wildcards and leading dots cannot be present together')
  const name = wildcard ? bare.slice(2) : bare
  if (wildcard && name.startsWith('.')) throw failure('Empty label')
  return `${dot ? '.' : wildcard ? '*.' : ''}${asciiDomain(name)}`
}

function asciiDomain(name: string): string {
  if (name === '') throw failure('Empty domain')
  const plain = /^[\0-\x7f]*$/.test(name) ? name : new URL(`http://${name}`).hostname
  for (const label of plain.split('.')) {
    if (label === '') throw failure('Empty Label')
    const at = label.search(/[^A-Za-z\d-]/)
    if (at < 0) continue
    const code = label.charCodeAt(at).toString(16).toUpperCase()
    throw failure(`Codepoint U+00${code} at position ${at + 1} of '${label}' not allowed`)
  }
  return plain
}

function addressBytes(value: Value): Bytes {
  const given = String(value)
  try {
    const { version, value: number } = ipAddress(given)
    return octetsOf(version, number)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
  }
  try {
    const { version, address, netmask } = ipNetwork(given)
    return new Uint8Array([...octetsOf(version, address.value), ...octetsOf(version, netmask)])
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    throw failure(`Provided value ${given} does not seem to be an IP address or network range.`)
  }
}

const octetsOf = (version: 4 | 6, number: bigint): Bytes =>
  new Uint8Array(Buffer.from(number.toString(16).padStart(version === 4 ? 8 : 32, '0'), 'hex'))

function addressText(bytes: Bytes): string {
  const whole = bytes.length === 4 || bytes.length === 16
  const size = whole ? bytes.length : bytes.length / 2
  const part = bytes.subarray(0, size)
  const shown = size === 4 ? [...part].join('.') : Buffer.from(part).toString('hex').match(/..../g)!.join(':')
  if (whole) return shown
  const ones = [...bytes.subarray(size)].map((byte) => byte.toString(2).replaceAll('0', '').length)
  return `${shown}/${ones.reduce((sum, count) => sum + count, 0)}`
}

/** The value alone, as access locations are shown. */
export function generalNameValue(node: DerNode): string {
  switch (node.context) {
    case NUMBERS.dirname:
      return `<Name(${nameText(decodeName(node.child(0)))})>`
    case NUMBERS.ip:
      return addressText(node.content)
    default:
      return node.text
  }
}

/** Return a name in OpenSSL's notation. */
export function generalNameText(node: DerNode): string {
  switch (node.context) {
    case NUMBERS.email:
      return `mail:${node.text}`
    case NUMBERS.dns:
      return `DNS:${node.text}`
    case NUMBERS.dirname:
      return `dirName:${nameText(decodeName(node.child(0)))}`
    case NUMBERS.uri:
      return `URI:${node.text}`
    case NUMBERS.ip:
      return `IP:${addressText(node.content)}`
    case NUMBERS.rid:
      return `RID:${decode(new Uint8Array([6, node.content.length, ...node.content])).oid}`
    default:
      return `<OtherName(type_id=${node.children[0]?.oid ?? ''})>`
  }
}
