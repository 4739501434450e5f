// Loads keys, certificates, requests and lists from PEM or DER, with Salt's errors for invalid ones.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { PyError, SaltError } from '../data/mod.ts'
import { type Bytes, decode } from './der.ts'
import {
  type Certificate,
  type RevocationList,
  readCertificate,
  readCertificateRequest,
  readRevocationList,
  type SigningRequest,
} from './documents.ts'

/** Why bytes could not be loaded. */
export type LoadFault = 'unreadable' | 'wrong password' | 'no password' | 'needless password'

export class LoadError extends SaltError {
  readonly fault: LoadFault

  constructor(fault: LoadFault, message: string) {
    super('SaltInvocationError', message)
    this.fault = fault
  }
}

const PASSWORDS: Readonly<Record<Exclude<LoadFault, 'unreadable'>, string>> = {
  'wrong password': 'Bad decrypt - is the password correct?',
  'no password': 'Private key is encrypted. Please provide a password.',
  'needless password': 'Private key is unencrypted. Please remove the password.',
}

const passwordError = (fault: Exclude<LoadFault, 'unreadable'>): LoadError => new LoadError(fault, PASSWORDS[fault])
const unreadable = (message: string): LoadError => new LoadError('unreadable', message)

const textOf = (bytes: Bytes): string => Buffer.from(bytes).toString('latin1')
export const isPem = (bytes: Bytes): boolean => textOf(bytes).includes('-----BEGIN')

interface Pem {
  label: string
  body: Bytes
  text: string
}

/** Lines before the body that name how it is encrypted. */
const PEM_HEADERS = /^\s*(?:[A-Za-z-]+:[^\n]*\n)*/

/** Find the entries by their first and last lines, in time proportional to the text. */
function pemsIn(bytes: Bytes): Pem[] {
  const whole = textOf(bytes)
  const found: Pem[] = []
  for (const { 0: first, 1: label = '', index } of whole.matchAll(/-----BEGIN ([^\n-]{1,64})-----(?=\s)/g)) {
    const last = `-----END ${label}-----`
    const from = index + first.length
    const next = whole.indexOf('-----', from)
    if (next < 0 || !whole.startsWith(last, next)) continue
    const body = whole.slice(from, next).replace(PEM_HEADERS, '').replace(/\s/g, '')
    if (!/^[A-Za-z0-9+/=]*$/.test(body)) continue
    found.push({
      label,
      body: new Uint8Array(Buffer.from(body, 'base64')),
      text: whole.slice(index, next + last.length),
    })
  }
  return found
}

export function toPem(label: string, bytes: Bytes): string {
  const body = Buffer.from(bytes)
    .toString('base64')
    .match(/.{1,64}/g)!
    .join('\n')
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
}

/** Return the result of `read`; undefined if the bytes have another format. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof PyError || error instanceof TypeError) return undefined
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

export interface LoadedKey {
  key: KeyObject
  encoding: 'pem' | 'der'
}

export function loadPrivateKey(bytes: Bytes, passphrase: string | null): LoadedKey {
  return isPem(bytes) ? privatePem(bytes, passphrase) : privateDer(bytes, passphrase)
}

function privatePem(bytes: Bytes, passphrase: string | null): LoadedKey {
  const pem = pemsIn(bytes).find(({ label }) => label.endsWith('PRIVATE KEY'))
  if (pem === undefined) throw unreadable('Could not load PEM-encoded private key')
  const encrypted = pem.label.startsWith('ENCRYPTED') || pem.text.includes('Proc-Type: 4,ENCRYPTED')
  if (encrypted && passphrase === null) throw passwordError('no password')
  if (!encrypted && passphrase !== null) throw passwordError('needless password')
  const key = attempt(() => createPrivateKey({ key: pem.text, ...(passphrase !== null && { passphrase }) }))
  if (key === undefined)
    throw encrypted ? passwordError('wrong password') : unreadable('Could not load PEM-encoded private key')
  return { key, encoding: 'pem' }
}

function privateDer(bytes: Bytes, passphrase: string | null): LoadedKey {
  const whole = attempt(() => decode(bytes))
  const isEncrypted = whole !== undefined && attempt(() => whole.child(0).child(0).oid) !== undefined
  if (isEncrypted && passphrase === null) throw passwordError('no password')
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const) {
    const key = attempt(() =>
      createPrivateKey({ key: Buffer.from(bytes), format: 'der', type, ...(passphrase !== null && { passphrase }) }),
    )
    if (key === undefined) continue
    if (!isEncrypted && passphrase !== null) throw passwordError('needless password')
    return { key, encoding: 'der' }
  }
  if (isEncrypted) throw passwordError('wrong password')
  throw unreadable('Could not deserialize binary data, neither as DER nor PKCS#12.')
}

export function loadPublicKey(bytes: Bytes): KeyObject {
  if (isPem(bytes)) {
    const pem = pemsIn(bytes).find(({ label }) => label.endsWith('PUBLIC KEY'))
    const key = pem && attempt(() => createPublicKey(pem.text))
    if (key === undefined) throw unreadable('Could not load PEM-encoded public key.')
    return key
  }
  const key = attempt(() => createPublicKey({ key: Buffer.from(bytes), format: 'der', type: 'spki' }))
  if (key === undefined) throw unreadable('Could not load DER-encoded public key.')
  return key
}

export type CertificateEncoding = 'pem' | 'der' | 'pkcs7_pem' | 'pkcs7_der'

export interface LoadedCertificate {
  certificate: Certificate
  encoding: CertificateEncoding
  /** Further certificates that came with it. */
  chain: Certificate[]
}

/** The certificates of a message that has nothing else (PKCS #7). */
function bundled(bytes: Bytes): Certificate[] {
  const content = decode(bytes).child(1).child(0)
  const list = content.children.find((node) => node.context === 0)
  return (list?.children ?? []).map(({ raw }) => readCertificate(raw))
}

/** Certificates, chains and requests; a million small values would take a hundred times their bytes. */
const LARGEST = 1 << 20

export function loadCertificate(bytes: Bytes): LoadedCertificate {
  if (bytes.length > LARGEST) throw unreadable('Could not load certificate: it is larger than 1 MiB.')
  if (isPem(bytes)) return certificatePem(bytes)
  const certificate = attempt(() => readCertificate(bytes))
  if (certificate) return { certificate, encoding: 'der', chain: [] }
  const [first, ...chain] = attempt(() => bundled(bytes)) ?? []
  if (first) return { certificate: first, encoding: 'pkcs7_der', chain }
  throw unreadable('Could not deserialize binary data, neither as DER nor PKCS#7, PKCS#12.')
}

function certificatePem(bytes: Bytes): LoadedCertificate {
  const [first, ...rest] = pemsIn(bytes)
  if (first?.label === 'PKCS7') {
    const [certificate, ...chain] = attempt(() => bundled(first.body)) ?? []
    if (certificate === undefined) throw unreadable('Could not load PEM-encoded PKCS#7 blob')
    return { certificate, encoding: 'pkcs7_pem', chain }
  }
  const certificate = first?.label === 'CERTIFICATE' ? attempt(() => readCertificate(first.body)) : undefined
  if (certificate === undefined) throw unreadable('Could not load PEM-encoded certificate.')
  const chain = rest.flatMap(({ label, body }) =>
    label === 'CERTIFICATE' ? (attempt(() => [readCertificate(body)]) ?? []) : [],
  )
  return { certificate, encoding: 'pem', chain }
}

interface Loaded<T> {
  value: T
  encoding: 'pem' | 'der'
}

function load<T>(bytes: Bytes, label: RegExp, what: string, read: (bytes: Bytes) => T): Loaded<T> {
  const encoding = isPem(bytes) ? 'pem' : 'der'
  const body = encoding === 'pem' ? pemsIn(bytes).find((pem) => label.test(pem.label))?.body : bytes
  const value = body && attempt(() => read(body))
  if (value === undefined) throw unreadable(`Could not load ${encoding.toUpperCase()}-encoded ${what}.`)
  return { value, encoding }
}

export function loadRequest(bytes: Bytes): Loaded<SigningRequest> {
  if (bytes.length > LARGEST) throw unreadable('Could not load certificate signing request: it is larger than 1 MiB.')
  return load(bytes, /^(NEW )?CERTIFICATE REQUEST$/, 'certificate signing request', readCertificateRequest)
}

export const loadRevocationList = (bytes: Bytes): Loaded<RevocationList> =>
  load(bytes, /^X509 CRL$/, 'certificate revocation list', readRevocationList)
