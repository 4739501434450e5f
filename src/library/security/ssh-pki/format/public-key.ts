// Public keys of OpenSSH: a type and its fields, in a line of a file and as a key of Node's.
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { lookup } from '../../../../base/mod.ts'
import { Malformed, mpint, string, unsigned, WireReader } from './wire.ts'

export interface PublicKey {
  /** The name of the type, such as ssh-ed25519. */
  type: string
  /** The fields after the type. */
  fields: readonly Uint8Array[]
}

/** A curve: its name in keys of the web, the size of its numbers in bytes, and the hash of its signatures. */
export interface Curve {
  name: string
  jwk: string
  size: number
  hash: string
}

const CURVES: Readonly<Record<string, Curve>> = lookup({
  nistp256: { name: 'nistp256', jwk: 'P-256', size: 32, hash: 'sha256' },
  nistp384: { name: 'nistp384', jwk: 'P-384', size: 48, hash: 'sha384' },
  nistp521: { name: 'nistp521', jwk: 'P-521', size: 66, hash: 'sha512' },
})

const ECDSA = 'ecdsa-sha2-'

/** Return the curve of a type such as ecdsa-sha2-nistp256; undefined for other types. */
export const curveOf = (type: string): Curve | undefined =>
  type.startsWith(ECDSA) ? CURVES[type.slice(ECDSA.length)] : undefined

/**
 * The number of fields in a key of each type. Keys of security tokens can be certified, but their signatures are not
 * checked.
 */
const FIELDS: Readonly<Record<string, number>> = lookup({
  'ssh-rsa': 2,
  'ssh-ed25519': 1,
  ...Object.fromEntries(Object.keys(CURVES).map((curve) => [`${ECDSA}${curve}`, 2])),
  'sk-ssh-ed25519@openssh.com': 2,
  'sk-ecdsa-sha2-nistp256@openssh.com': 3,
})

export function readFields(reader: WireReader, type: string): Uint8Array[] {
  const count = FIELDS[type]
  if (count === undefined) throw new Malformed(`Keys of the type ${type} are not supported`)
  return Array.from({ length: count }, () => reader.string())
}

export function parseKey(blob: Uint8Array): PublicKey {
  const reader = new WireReader(blob)
  const type = reader.text()
  const fields = readFields(reader, type)
  reader.end()
  return { type, fields }
}

export const keyBlob = ({ type, fields }: PublicKey): Buffer =>
  Buffer.concat([string(type), ...fields.map((field) => string(field))])

export const keyLine = (key: PublicKey): string => `${key.type} ${keyBlob(key).toString('base64')}`

const isSame = (one: PublicKey, other: PublicKey): boolean => keyBlob(one).equals(keyBlob(other))

export { isSame as isSameKey }

/** `rsa`, `ec` or `ed25519`, as Salt names the kinds. */
export function kindOfKey({ type }: PublicKey): string {
  if (type === 'ssh-rsa') return 'rsa'
  return type.includes('ecdsa') ? 'ec' : 'ed25519'
}

/** The size in bits; null for keys on Edwards curves. */
export function sizeOfKey(key: PublicKey): number | null {
  if (key.type.includes('ecdsa')) return Number(/nistp(\d+)/.exec(key.type)![1])
  if (key.type !== 'ssh-rsa') return null
  const digits = unsigned(key.fields[1]!)
  return digits.length === 0 ? 0 : digits.length * 8 - Math.clz32(digits[0]!) + 24
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** Return the public numbers of a key as a JSON Web Key. */
export function jwkOf(key: PublicKey): JsonWebKey {
  const curve = curveOf(key.type)
  if (key.type === 'ssh-rsa') {
    return { kty: 'RSA', e: base64url(unsigned(key.fields[0]!)), n: base64url(unsigned(key.fields[1]!)) }
  }
  if (key.type === 'ssh-ed25519') return { kty: 'OKP', crv: 'Ed25519', x: base64url(key.fields[0]!) }
  if (curve === undefined) throw new Malformed(`Signatures of keys of the type ${key.type} are not supported`)
  const [name, point] = key.fields as [Uint8Array, Uint8Array]
  if (Buffer.from(name).toString() !== curve.name || point.length !== 2 * curve.size + 1 || point[0] !== 4) {
    throw new Malformed('The point is not on the curve of the key')
  }
  const [x, y] = [point.subarray(1, 1 + curve.size), point.subarray(1 + curve.size)]
  return { kty: 'EC', crv: curve.jwk, x: base64url(x), y: base64url(y) }
}

export function nodeKey(key: PublicKey): KeyObject {
  const jwk = jwkOf(key)
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw new Malformed('The numbers are not those of a key')
  }
}

/** The public half of a key of Node's; undefined for kinds that OpenSSH does not have. */
export function fromNodeKey(key: KeyObject): PublicKey | undefined {
  const { kty, crv, n, e, x, y } = key.export({ format: 'jwk' })
  const bytes = (digits: string | undefined): Buffer => Buffer.from(digits ?? '', 'base64url')
  const number = (digits: string | undefined): Uint8Array => mpint(bytes(digits)).subarray(4)
  if (kty === 'RSA') return { type: 'ssh-rsa', fields: [number(e), number(n)] }
  if (crv === 'Ed25519') return { type: 'ssh-ed25519', fields: [bytes(x)] }
  const curve = Object.values(CURVES).find(({ jwk }) => jwk === crv)
  if (curve === undefined) return undefined
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)])
  return { type: `${ECDSA}${curve.name}`, fields: [Buffer.from(curve.name), point] }
}

/** The type and the bytes of a line: a key or a certificate, and perhaps a comment. */
export function splitLine(bytes: Uint8Array): { type: string; blob: Buffer } {
  const match = /^(\S{1,64})[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t\r\n]|$)/.exec(Buffer.from(bytes).toString('latin1'))
  if (match === null) throw new Malformed('There is no line with a type and a key')
  const blob = Buffer.from(match[2]!, 'base64')
  if (new WireReader(blob).text() !== match[1]) throw new Malformed('The line and the key have different types')
  return { type: match[1]!, blob }
}
