// Keys, certificates, requests and lists in a given encoding.

import type { KeyObject } from 'node:crypto'
import { failure, isList, misuse, str, truthy, type Value } from '../../../../data/mod.ts'
import { type Certificate, type FunctionContext, x509 } from '../../../../sdk/mod.ts'
import { CURVES } from '../../common/generate-key.ts'
import { certificate } from './sources.ts'

/** Return text for PEM, base64 for bytes, or the bytes themselves. */
function shaped(bytes: Uint8Array, isText: boolean, raw: boolean): Value {
  if (raw) return new Uint8Array(bytes)
  return isText ? Buffer.from(bytes).toString() : Buffer.from(bytes).toString('base64')
}

export function checkEncoding(encoding: string, valid: readonly string[]): void {
  if (valid.includes(encoding)) return
  throw failure(`Invalid value '${encoding}' for encoding. Valid: ${valid.join(', ')}`)
}

const DIGESTS = 'sha1 sha224 sha256 sha384 sha512 sha512_224 sha512_256 sha3_224 sha3_256 sha3_384 sha3_512'.split(' ')

/** Return the digest by its name in Node. */
export function checkedDigest(digest: Value): string {
  const name = str(digest).toLowerCase()
  if (!DIGESTS.includes(name)) {
    throw failure(`Invalid value '${str(digest)}' for digest. Valid: ${DIGESTS.join(', ')}`)
  }
  return name.replace('_', '-')
}

export async function encodeDocument(bytes: Uint8Array, label: string, encoding: string, raw: boolean): Promise<Value> {
  checkEncoding(encoding, ['der', 'pem'])
  if (encoding === 'der') return shaped(bytes, false, raw)
  return shaped(Buffer.from((await x509()).toPem(label, bytes)), true, raw)
}

export const CERTIFICATE_ENCODINGS = ['der', 'pem', 'pkcs7_der', 'pkcs7_pem', 'pkcs12']

const noPkcs12 = (): Error => failure('PKCS#12 containers are not supported here. Use encoding pem or der.')

/** Return a PKCS#7 message that contains only certificates. */
async function bundle(certificates: readonly Certificate[]): Promise<Uint8Array> {
  const { sequence, set, integer, oid, explicit, octets } = await x509()
  const data = sequence(oid('1.2.840.113549.1.7.1'), explicit(0, octets(new Uint8Array())))
  const list = explicit(0, ...certificates.map(({ raw }) => raw))
  const content = sequence(integer(1), set(), data, list, set())
  return sequence(oid('1.2.840.113549.1.7.2'), explicit(0, content))
}

export async function encodeCertificate(
  ctx: FunctionContext,
  given: Certificate,
  { encoding, append_certs, raw }: { encoding: string; append_certs: Value; raw: boolean },
): Promise<Value> {
  checkEncoding(encoding, CERTIFICATE_ENCODINGS)
  if (encoding === 'der' && truthy(append_certs)) throw misuse('Cannot encode a certificate chain in DER')
  if (encoding === 'pkcs12') throw noPkcs12()
  const further: Certificate[] = []
  const sources = truthy(append_certs) ? (isList(append_certs) ? append_certs : [append_certs]) : []
  for (const source of sources) further.push(await certificate(ctx, source))
  const { toPem } = await x509()
  if (encoding === 'der') return shaped(given.raw, false, raw)
  if (encoding === 'pem') {
    const text = [given, ...further].map((item) => toPem('CERTIFICATE', item.raw)).join('\n')
    return shaped(Buffer.from(text), true, raw)
  }
  const bytes = await bundle([given, ...further])
  const isText = encoding === 'pkcs7_pem'
  return shaped(isText ? Buffer.from(toPem('PKCS7', bytes)) : bytes, isText, raw)
}

export function encodeKey(key: KeyObject, encoding: string, passphrase: string | null, raw: boolean): Value {
  checkEncoding(encoding, ['der', 'pem', 'pkcs12'])
  if (encoding === 'pkcs12') throw noPkcs12()
  const locked = passphrase === null ? {} : { cipher: 'aes-256-cbc', passphrase }
  const format = encoding === 'pem' ? 'pem' : 'der'
  const bytes = Buffer.from(key.export({ type: 'pkcs8', format: format as 'der', ...locked }))
  return shaped(bytes, encoding === 'pem', raw)
}

/** Return the size in bits; None for a key on an Edwards curve. */
export function keySize(key: KeyObject): Value {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined) return modulusLength
  const size = Object.keys(CURVES).find((bits) => CURVES[bits] === namedCurve)
  return size === undefined ? null : Number(size)
}
