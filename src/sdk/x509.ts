// Certificates for plug-ins; imported at first use, because few runs need them. Options hold them in many forms: a
// file, text in PEM, hexadecimal digits or base64, or bytes.
import type { KeyObject } from 'node:crypto'
import { isA, recover } from '../base/mod.ts'
import { decodeBase64, misuse, PyError, str, type Value } from '../data/mod.ts'
import type { Host } from '../host/mod.ts'
import type { Certificate } from '../x509/mod.ts'

export type { Certificate, RevocationList, SigningRequest } from '../x509/mod.ts'

export type X509 = typeof import('../x509/mod.ts')

export const x509 = (): Promise<X509> => import('../x509/mod.ts')

/** Whether an option names an existing file. */
export async function isSourceFile(host: Host, value: Value): Promise<boolean> {
  if (typeof value !== 'string' || value === '' || value.includes('\0') || value.length > 4096) return false
  // a text in PEM is short enough for a path, but not for a name
  if (value.split('/').some((part) => Buffer.byteLength(part) > 255)) return false
  return (await host.stat(value))?.type === 'file'
}

/** The bytes that an option means. */
export async function sourceBytes(host: Host, value: Value): Promise<Uint8Array> {
  return (await isSourceFile(host, value)) ? host.read(str(value)) : encodedBytes(value)
}

/**
 * Return the bytes in an option. Paths are not accepted, so use this for options of users who may not read files here.
 */
export function encodedBytes(value: Value): Uint8Array {
  if (value instanceof Uint8Array) return value
  const bytes = typeof value === 'string' ? decoded(value) : undefined
  if (bytes !== undefined) return bytes
  throw misuse(
    'Could not load provided source. You need to pass an existing file, (PEM|hex|base64)-encoded string or raw bytes.',
  )
}

function decoded(text: string): Uint8Array | undefined {
  if (text.includes('-----BEGIN') && !text.startsWith('b64:')) return Buffer.from(text)
  const digits = text.replace(/\s/g, '')
  if (/^(?:[\da-f]{2})*$/i.test(digits)) return Buffer.from(digits, 'hex')
  return recover(isA(PyError), undefined, () =>
    decodeBase64(Buffer.from(text.startsWith('b64:') ? text.slice(4) : text)),
  )
}

export async function sourceKey(host: Host, source: Value, passphrase: Value): Promise<KeyObject> {
  const words = passphrase === null ? null : str(passphrase)
  return (await x509()).loadPrivateKey(await sourceBytes(host, source), words).key
}

export async function sourceCertificate(host: Host, source: Value): Promise<Certificate> {
  return (await x509()).loadCertificate(await sourceBytes(host, source)).certificate
}
