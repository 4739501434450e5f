// Certificates, requests and lists of revoked certificates: read from bytes, and written and signed.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { failure } from '../data/mod.ts'
import {
  type Bytes,
  bits,
  boolean,
  DER_NULL,
  type DerNode,
  decode,
  explicit,
  integer,
  octets,
  oid,
  sequence,
  set,
  time,
} from './der.ts'
import { type DistinguishedName, decodeName, encodeName } from './names.ts'
import { digestOf, signatureOid } from './oids.ts'

export interface CertificateExtension {
  oid: string
  critical: boolean
  /** Encoded. */
  value: Bytes
}

/** The common part of all three. */
interface Signed {
  /** The whole of it, encoded. */
  raw: Bytes
  /** The signed bytes. */
  signedPart: Bytes
  signature: Bytes
  signatureOid: string
}

export interface Certificate extends Signed {
  version: number
  serial: bigint
  issuer: DistinguishedName
  subject: DistinguishedName
  notBefore: Date
  notAfter: Date
  /** Encoded, as in requests. */
  publicKey: Bytes
  extensions: CertificateExtension[]
}

export interface SigningRequest extends Signed {
  subject: DistinguishedName
  publicKey: Bytes
  extensions: CertificateExtension[]
}

export interface Revoked {
  serial: bigint
  date: Date
  extensions: CertificateExtension[]
}

export interface RevocationList extends Signed {
  issuer: DistinguishedName
  lastUpdate: Date
  nextUpdate: Date
  revoked: Revoked[]
  extensions: CertificateExtension[]
}

const REQUESTED_EXTENSIONS = '1.2.840.113549.1.9.14'

export const keyKind = (key: KeyObject): 'rsa' | 'ec' | 'ed25519' | 'ed448' | undefined => {
  const kind = key.asymmetricKeyType
  if (kind === 'rsa' || kind === 'rsa-pss') return 'rsa'
  return kind === 'ec' || kind === 'ed25519' || kind === 'ed448' ? kind : undefined
}

const readExtensions = (node: DerNode | undefined): CertificateExtension[] =>
  (node?.children ?? []).map((item) => ({
    oid: item.child(0).oid,
    critical: item.children.length > 2 && item.child(1).boolean,
    value: item.children.at(-1)!.content,
  }))

const writeExtensions = (extensions: readonly CertificateExtension[]): Bytes =>
  sequence(
    ...extensions.map(({ oid: kind, critical, value }) =>
      sequence(oid(kind), ...(critical ? [boolean(true)] : []), octets(value)),
    ),
  )

const signedPartOf = (whole: DerNode): Signed => ({
  raw: whole.raw,
  signedPart: whole.child(0).raw,
  signatureOid: whole.child(1).child(0).oid,
  signature: whole.child(2).bits,
})

export function readCertificate(bytes: Bytes): Certificate {
  const whole = decode(bytes)
  const fields = [...whole.child(0).children]
  const version = fields[0]?.context === 0 ? Number(fields.shift()!.child(0).integer) + 1 : 1
  const [serial, , issuer, validity, subject, publicKey, ...rest] = fields as [
    DerNode,
    DerNode,
    DerNode,
    DerNode,
    DerNode,
    DerNode,
  ]
  const extensions = (rest as DerNode[]).find((node) => node.context === 3)
  return {
    ...signedPartOf(whole),
    version,
    serial: serial.integer,
    issuer: decodeName(issuer),
    subject: decodeName(subject),
    notBefore: validity.child(0).time,
    notAfter: validity.child(1).time,
    publicKey: publicKey.raw,
    extensions: readExtensions(extensions?.child(0)),
  }
}

export function readCertificateRequest(bytes: Bytes): SigningRequest {
  const whole = decode(bytes)
  const [, subject, publicKey, attributes] = whole.child(0).children as [DerNode, DerNode, DerNode, DerNode?]
  const wanted = attributes?.children.find((attribute) => attribute.child(0).oid === REQUESTED_EXTENSIONS)
  return {
    ...signedPartOf(whole),
    subject: decodeName(subject),
    publicKey: publicKey.raw,
    extensions: readExtensions(wanted?.child(1).child(0)),
  }
}

export function readRevocationList(bytes: Bytes): RevocationList {
  const whole = decode(bytes)
  const fields = [...whole.child(0).children]
  if (fields[0]?.tag === 2) fields.shift()
  const [, issuer, last, next, ...rest] = fields as [DerNode, DerNode, DerNode, DerNode, ...DerNode[]]
  const revoked = rest.find((node) => node.tag === 0x30)
  return {
    ...signedPartOf(whole),
    issuer: decodeName(issuer),
    lastUpdate: last.time,
    nextUpdate: next.time,
    revoked: (revoked?.children ?? []).map((entry) => ({
      serial: entry.child(0).integer,
      date: entry.child(1).time,
      extensions: readExtensions(entry.children[2]),
    })),
    extensions: readExtensions(rest.find((node) => node.context === 0)?.child(0)),
  }
}

/** The way a key signs with a digest, encoded. */
function algorithm(key: KeyObject, digest: string): Bytes {
  const kind = keyKind(key)
  if (kind === 'ed25519') return sequence(oid('1.3.101.112'))
  if (kind === 'ed448') return sequence(oid('1.3.101.113'))
  const way = kind === undefined ? undefined : signatureOid(digest, kind)
  if (way === undefined) {
    throw failure(`Signing with ${digest} is not supported for this kind of key`)
  }
  return sequence(oid(way), ...(kind === 'rsa' ? [DER_NULL] : []))
}

const isEdwards = (key: KeyObject): boolean => keyKind(key)?.startsWith('ed') ?? false

function signed(content: Bytes, key: KeyObject, digest: string): Bytes {
  const signature = sign(isEdwards(key) ? null : digest, content, key)
  return sequence(content, algorithm(key, digest), bits(new Uint8Array(signature)))
}

export interface CertificatePlan {
  serial: bigint
  issuer: DistinguishedName
  subject: DistinguishedName
  notBefore: Date
  notAfter: Date
  publicKey: Bytes
  extensions: CertificateExtension[]
}

export function signCertificate(plan: CertificatePlan, key: KeyObject, digest: string): Bytes {
  const content = sequence(
    explicit(0, integer(2)),
    integer(plan.serial),
    algorithm(key, digest),
    encodeName(plan.issuer),
    sequence(time(plan.notBefore), time(plan.notAfter)),
    encodeName(plan.subject),
    plan.publicKey,
    ...(plan.extensions.length > 0 ? [explicit(3, writeExtensions(plan.extensions))] : []),
  )
  return signed(content, key, digest)
}

export interface RequestPlan {
  subject: DistinguishedName
  extensions: CertificateExtension[]
}

export function signRequest(plan: RequestPlan, key: KeyObject, digest: string): Bytes {
  const wanted = sequence(oid(REQUESTED_EXTENSIONS), set(writeExtensions(plan.extensions)))
  const content = sequence(
    integer(0),
    encodeName(plan.subject),
    publicBytes(key),
    explicit(0, ...(plan.extensions.length > 0 ? [wanted] : [])),
  )
  return signed(content, key, digest)
}

export interface RevocationPlan {
  issuer: DistinguishedName
  lastUpdate: Date
  nextUpdate: Date
  revoked: Revoked[]
  extensions: CertificateExtension[]
}

export function signRevocationList(plan: RevocationPlan, key: KeyObject, digest: string): Bytes {
  const entries = plan.revoked.map(({ serial, date, extensions }) =>
    sequence(integer(serial), time(date), ...(extensions.length > 0 ? [writeExtensions(extensions)] : [])),
  )
  const content = sequence(
    integer(1),
    algorithm(key, digest),
    encodeName(plan.issuer),
    time(plan.lastUpdate),
    time(plan.nextUpdate),
    ...(entries.length > 0 ? [sequence(...entries)] : []),
    ...(plan.extensions.length > 0 ? [explicit(0, writeExtensions(plan.extensions))] : []),
  )
  return signed(content, key, digest)
}

/** The encoded public half of a key. */
export function publicBytes(key: KeyObject): Bytes {
  const half = key.type === 'private' ? createPublicKey(key) : key
  return new Uint8Array(half.export({ type: 'spki', format: 'der' }))
}

/** Whether a key made the signature. */
export function isSignedBy({ signedPart, signature, signatureOid: way }: Signed, key: KeyObject): boolean {
  return verify(isEdwards(key) ? null : digestOf(way), signedPart, key, signature)
}
