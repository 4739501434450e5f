// OpenSSH certificates: a public key, its principals and validity, and the signature of an authority.
import { randomBytes, sign, verify } from 'node:crypto'
import { lookup } from '../../../../base/mod.ts'
import type { PrivateKey } from './private-key.ts'
import { curveOf, keyBlob, nodeKey, type PublicKey, parseKey, readFields, splitLine } from './public-key.ts'
import { type Bytes, Malformed, mpint, string, uint32, uint64, unsigned, WireReader } from './wire.ts'

export type CertificateType = 'user' | 'host'

export interface CertificateFields {
  key: PublicKey
  serial: bigint
  type: CertificateType
  keyId: string
  /** An empty list permits all. */
  principals: readonly string[]
  /** In seconds since 1970. */
  validAfter: bigint
  validBefore: bigint
  criticalOptions: ReadonlyMap<string, string>
  extensions: ReadonlyMap<string, string>
}

export interface Certificate extends CertificateFields {
  signedBy: PublicKey
  signature: Bytes
  /** The bytes that the signature covers. */
  signed: Bytes
}

const TYPES: readonly CertificateType[] = ['user', 'host']
const SUFFIX = '-cert-v01@openssh.com'

const certificateType = (type: string): string => `${type.replace(/@openssh\.com$/, '')}${SUFFIX}`
export const isCertificateType = (type: string): boolean => type.endsWith(SUFFIX)

function keyType(type: string): string {
  const plain = type.slice(0, -SUFFIX.length)
  return plain.startsWith('sk-') ? `${plain}@openssh.com` : plain
}

/** Names with values, in the order of the names, as the format demands. */
function packed(options: ReadonlyMap<string, string>): Buffer {
  const sorted = [...options].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  const entries = sorted.flatMap(([name, value]) => [string(name), string(value === '' ? '' : string(value))])
  return Buffer.concat(entries)
}

function unpacked(bytes: Bytes): Map<string, string> {
  const reader = new WireReader(bytes)
  const found = new Map<string, string>()
  while (!reader.isAtEnd) {
    const name = reader.text()
    const value = new WireReader(reader.string())
    if (found.has(name)) throw new Malformed(`The option ${name} is there twice`)
    found.set(name, value.isAtEnd ? '' : value.text())
    value.end()
  }
  return found
}

const SIGNATURE_HASHES: Readonly<Record<string, string>> = lookup({
  'rsa-sha2-512': 'sha512',
  'rsa-sha2-256': 'sha256',
  'ssh-rsa': 'sha1',
})

function signatureOf(data: Bytes, by: PrivateKey): Buffer {
  const { type } = by.public
  if (type === 'ssh-rsa') return Buffer.concat([string('rsa-sha2-512'), string(sign('sha512', data, by.key))])
  const curve = curveOf(type)
  if (curve === undefined) return Buffer.concat([string(type), string(sign(null, data, by.key))])
  const numbers = sign(curve.hash, data, { key: by.key, dsaEncoding: 'ieee-p1363' })
  const pair = [mpint(numbers.subarray(0, curve.size)), mpint(numbers.subarray(curve.size))]
  return Buffer.concat([string(type), string(Buffer.concat(pair))])
}

/** Sign a certificate, and return its line. */
export function signCertificate(fields: CertificateFields, by: PrivateKey): string {
  const type = certificateType(fields.key.type)
  const signed = Buffer.concat([
    ...[string(type), string(randomBytes(32)), ...fields.key.fields.map((field) => string(field))],
    ...[uint64(fields.serial), uint32(TYPES.indexOf(fields.type) + 1), string(fields.keyId)],
    string(Buffer.concat(fields.principals.map((principal) => string(principal)))),
    ...[uint64(fields.validAfter), uint64(fields.validBefore)],
    ...[string(packed(fields.criticalOptions)), string(packed(fields.extensions)), string('')],
    string(keyBlob(by.public)),
  ])
  return `${type} ${Buffer.concat([signed, string(signatureOf(signed, by))]).toString('base64')}`
}

/** Read a certificate from its line. */
export function parseCertificate(bytes: Bytes): Certificate {
  const { type: name, blob } = splitLine(bytes)
  if (!isCertificateType(name)) throw new Malformed('This is not a certificate')
  const reader = new WireReader(blob)
  reader.string()
  reader.string()
  const key = { type: keyType(name), fields: readFields(reader, keyType(name)) }
  const serial = reader.uint64()
  const type = TYPES[reader.uint32() - 1]
  if (type === undefined) throw new Malformed('The certificate is neither for a user nor for a host')
  const keyId = reader.text()
  const principals = new WireReader(reader.string()).strings().map((principal) => principal.toString())
  const [validAfter, validBefore] = [reader.uint64(), reader.uint64()]
  const [criticalOptions, extensions] = [unpacked(reader.string()), unpacked(reader.string())]
  reader.string()
  const signedBy = parseKey(reader.string())
  const signed = blob.subarray(0, reader.position)
  const signature = reader.string()
  reader.end()
  const limits = { validAfter, validBefore, criticalOptions, extensions }
  return { key, serial, type, keyId, principals, ...limits, signedBy, signature, signed }
}

/** Return whether the signature is that of the key in the certificate. */
export function isSignatureRight({ signature, signed, signedBy }: Certificate): boolean {
  const reader = new WireReader(signature)
  const [algorithm, value] = [reader.text(), reader.string()]
  reader.end()
  const key = nodeKey(signedBy)
  if (signedBy.type === 'ssh-rsa') {
    const hash = SIGNATURE_HASHES[algorithm]
    return hash !== undefined && verify(hash, signed, key, value)
  }
  if (algorithm !== signedBy.type) return false
  const curve = curveOf(signedBy.type)
  if (curve === undefined) return verify(null, signed, key, value)
  const numbers = new WireReader(value)
  const pair = [unsigned(numbers.string(), curve.size), unsigned(numbers.string(), curve.size)]
  numbers.end()
  return verify(curve.hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(pair))
}
