// Private keys in OpenSSH's own format, plain or locked by a passphrase.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { failure, misuse } from '../../../../data/mod.ts'
import { bcryptPbkdf } from './bcrypt-pbkdf.ts'
import { curveOf, fromNodeKey, jwkOf, keyBlob, type PublicKey, readFields } from './public-key.ts'
import { type Bytes, Malformed, mpint, string, uint32, unsigned, WireReader } from './wire.ts'

export interface PrivateKey {
  key: KeyObject
  public: PublicKey
}

const MAGIC = 'openssh-key-v1\0'
const LABEL = 'OPENSSH PRIVATE KEY'

export const KEY_ERRORS = {
  unreadable: 'Could not load OpenSSH private key',
  locked: 'Private key is encrypted. Please provide a password.',
  wrong: 'Bad decrypt - is the password correct?',
  needless: 'Password was given but private key is not encrypted',
} as const

/** A number of rounds takes about as many hundredths of a second. ssh-keygen uses 16 to 24. */
const MOST_ROUNDS = 2000
const ROUNDS = 16

const inverse = (digits: string): bigint => BigInt(`0x${Buffer.from(digits, 'base64url').toString('hex')}`)

/** The remainder that RSA keys of the web have beside their private exponent. */
function remainder(d: Bytes, prime: Bytes): string {
  const base64url = (bytes: Bytes): string => Buffer.from(bytes).toString('base64url')
  const p = inverse(base64url(prime))
  if (p < 2n) throw new Malformed('A prime is too small')
  const digits = (inverse(base64url(d)) % (p - 1n)).toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url')
}

/** Read the fields of a private key; they repeat the public ones in a different order. */
function readSecret(reader: WireReader, type: string): { jwk: JsonWebKey; public: PublicKey } {
  const base64url = (bytes: Bytes): string => Buffer.from(bytes).toString('base64url')
  if (type === 'ssh-rsa') {
    const [n, e, d, iqmp, p, q] = Array.from({ length: 6 }, () => reader.string()) as Buffer[]
    const half = { type, fields: [e!, n!] }
    const numbers = { d: unsigned(d!), p: unsigned(p!), q: unsigned(q!), qi: unsigned(iqmp!) }
    const secret = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64url(value)]))
    const remainders = { dp: remainder(numbers.d, numbers.p), dq: remainder(numbers.d, numbers.q) }
    return { jwk: { ...jwkOf(half), ...secret, ...remainders }, public: half }
  }
  const half = { type, fields: readFields(reader, type) }
  const size = curveOf(type)?.size
  const secret = reader.string()
  const d = size === undefined ? secret.subarray(0, 32) : unsigned(secret, size)
  return { jwk: { ...jwkOf(half), d: base64url(d) }, public: half }
}

/** Decrypt the private part of a key. */
function unlocked(bytes: Bytes, cipher: string, kdf: string, options: Bytes, passphrase: string | null): Buffer {
  if (cipher === 'none') {
    if (passphrase !== null) throw misuse(KEY_ERRORS.needless)
    return Buffer.from(bytes)
  }
  const form = /^aes(128|192|256)-(ctr|cbc)$/.exec(cipher)
  if (form === null || kdf !== 'bcrypt') throw new Malformed(`The cipher ${cipher} is not supported`)
  if (passphrase === null) throw misuse(KEY_ERRORS.locked)
  const reader = new WireReader(options)
  const salt = reader.string()
  const rounds = reader.uint32()
  if (rounds > MOST_ROUNDS) throw failure(`${KEY_ERRORS.unreadable}: it has more than ${MOST_ROUNDS} rounds`)
  const length = Number(form[1]) / 8
  const key = bcryptPbkdf(passphrase, salt, rounds, length + 16)
  const name = `aes-${form[1]}-${form[2]}`
  const opening = createDecipheriv(name, key.subarray(0, length), key.subarray(length)).setAutoPadding(false)
  return Buffer.concat([opening.update(bytes), opening.final()])
}

function parse(bytes: Bytes, passphrase: string | null): PrivateKey {
  const text = Buffer.from(bytes).toString('latin1')
  const from = text.indexOf(`-----BEGIN ${LABEL}-----`)
  const to = text.indexOf(`-----END ${LABEL}-----`)
  if (from < 0 || to < from) throw new Malformed('There is no private key of OpenSSH')
  const blob = Buffer.from(text.slice(from + LABEL.length + 16, to), 'base64')
  const reader = new WireReader(blob)
  if (reader.take(MAGIC.length).toString('latin1') !== MAGIC) throw new Malformed('The format is unknown')
  const [cipher, kdf, options] = [reader.text(), reader.text(), reader.string()]
  if (reader.uint32() !== 1) throw new Malformed('There is not exactly one key')
  const outside = reader.string()
  const secret = new WireReader(unlocked(reader.string(), cipher, kdf, options, passphrase))
  const [check, again] = [secret.uint32(), secret.uint32()]
  if (check !== again) {
    throw cipher === 'none' ? new Malformed('The check values differ') : misuse(KEY_ERRORS.wrong)
  }
  const { jwk, public: half } = readSecret(secret, secret.text())
  if (!keyBlob(half).equals(outside)) throw new Malformed('The public half is that of another key')
  return { key: createPrivateKey({ key: jwk, format: 'jwk' }), public: half }
}

export function parsePrivateKey(bytes: Bytes, passphrase: string | null): PrivateKey {
  try {
    return parse(bytes, passphrase)
  } catch (error) {
    // Node reports numbers that are no key with a code; its ciphers do so for data of a wrong length.
    if (error instanceof Malformed || (error instanceof Error && 'opensslErrorStack' in error)) {
      throw failure(KEY_ERRORS.unreadable)
    }
    if (error instanceof Error && String((error as { code?: unknown }).code).startsWith('ERR_')) {
      throw failure(KEY_ERRORS.unreadable)
    }
    throw error
  }
}

export function fromPrivateNodeKey(key: KeyObject): PrivateKey {
  const half = fromNodeKey(key)
  if (half === undefined) throw misuse('Passed object is not an SSH private key')
  return { key, public: half }
}

function secretFields({ key, public: half }: PrivateKey): Buffer {
  const jwk = key.export({ format: 'jwk' })
  const bytes = (name: keyof JsonWebKey): Buffer => Buffer.from(String(jwk[name]), 'base64url')
  if (half.type === 'ssh-rsa') {
    return Buffer.concat((['n', 'e', 'd', 'qi', 'p', 'q'] as const).map((name) => mpint(bytes(name))))
  }
  const publicFields = half.fields.map((field) => string(field))
  const secret = half.type === 'ssh-ed25519' ? string(Buffer.concat([bytes('d'), bytes('x')])) : mpint(bytes('d'))
  return Buffer.concat([...publicFields, secret])
}

/** Lock the private part, which is already padded to blocks of 16. */
function locked(bytes: Buffer, passphrase: string): { options: Buffer; bytes: Buffer } {
  const salt = randomBytes(16)
  const key = bcryptPbkdf(passphrase, salt, ROUNDS, 48)
  const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), key.subarray(32))
  return {
    options: Buffer.concat([string(salt), uint32(ROUNDS)]),
    bytes: Buffer.concat([cipher.update(bytes), cipher.final()]),
  }
}

export function encodePrivateKey(key: PrivateKey, passphrase: string | null): string {
  const check = randomBytes(4)
  const secret = Buffer.concat([check, check, string(key.public.type), secretFields(key), string('')])
  const block = passphrase === null ? 8 : 16
  const padding = Array.from({ length: (block - (secret.length % block)) % block }, (_, index) => index + 1)
  const padded = Buffer.concat([secret, Buffer.from(padding)])
  const { options, bytes } = passphrase === null ? { options: '', bytes: padded } : locked(padded, passphrase)
  const [cipher, kdf] = passphrase === null ? ['none', 'none'] : ['aes256-ctr', 'bcrypt']
  const head = [Buffer.from(MAGIC, 'latin1'), string(cipher!), string(kdf!), string(options), uint32(1)]
  const blob = Buffer.concat([...head, string(keyBlob(key.public)), string(bytes)])
  const lines = blob.toString('base64').match(/.{1,70}/g)!
  return `-----BEGIN ${LABEL}-----\n${lines.join('\n')}\n-----END ${LABEL}-----\n`
}
