// Salt's cryptography by hand: the AES envelope, and RSA as a minion uses it.
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
  privateEncrypt,
  randomBytes,
} from 'node:crypto'
import { pack, unpack } from './msgpack.ts'

const MARK = Buffer.from('pickle::')
const [IV_BYTES, MAC_BYTES, AES_BYTES, NONCE_BYTES] = [16, 32, 24, 32]

/** The two keys that a key string holds. */
function keysOf(keyString: string): { aes: Buffer; mac: Buffer } {
  const bytes = Buffer.from(keyString, 'base64')
  return { aes: bytes.subarray(0, AES_BYTES), mac: bytes.subarray(AES_BYTES) }
}

export function sealBytes(keyString: string, plain: Uint8Array, iv: Buffer = randomBytes(IV_BYTES)): Buffer {
  const { aes, mac } = keysOf(keyString)
  const cipher = createCipheriv('aes-192-cbc', aes, iv)
  const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final()])
  return Buffer.concat([sealed, createHmac('sha256', mac).update(sealed).digest()])
}

export const marked = (value: unknown): Buffer => Buffer.concat([MARK, pack(value)])

export const seal = (keyString: string, value: unknown, iv?: Buffer): Buffer => sealBytes(keyString, marked(value), iv)

export function openSealed(keyString: string, sealed: Buffer, hasNonce: boolean): unknown {
  const { aes, mac } = keysOf(keyString)
  const end = sealed.length - MAC_BYTES
  const given = sealed.subarray(end)
  if (!createHmac('sha256', mac).update(sealed.subarray(0, end)).digest().equals(given)) throw new Error('wrong key')
  const decipher = createDecipheriv('aes-192-cbc', aes, sealed.subarray(0, IV_BYTES))
  const plain = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, end)), decipher.final()])
  return unpack(plain.subarray(MARK.length + (hasNonce ? NONCE_BYTES : 0)))
}

const toNumber = (bytes: Buffer): bigint => BigInt(`0x${bytes.toString('hex')}`)

export class RsaKey {
  readonly publicPem: string
  /** The proof of the key in each request: `salt` with X9.31 padding under the private key. */
  readonly token: Buffer
  private readonly key: KeyObject

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.key = privateKey
    this.publicPem = String(publicKey.export({ type: 'spki', format: 'pem' })).trim()
    this.token = this.x931(Buffer.from('salt'))
  }

  private x931(message: Buffer): Buffer {
    const modulus = Buffer.from(String(this.key.export({ format: 'jwk' }).n), 'base64url')
    const size = modulus.length
    const padding = Buffer.alloc(size - message.length - 3, 0xbb)
    const block = Buffer.concat([Buffer.of(0x6b), padding, Buffer.of(0xba), message, Buffer.of(0xcc)])
    const signed = privateEncrypt({ key: this.key, padding: constants.RSA_NO_PADDING }, block)
    const number = toNumber(signed)
    const other = toNumber(modulus) - number
    const isSmaller = number < other
    return Buffer.from((isSmaller ? number : other).toString(16).padStart(size * 2, '0'), 'hex')
  }

  decrypt(bytes: Buffer): Buffer {
    const padding = constants.RSA_PKCS1_OAEP_PADDING
    return privateDecrypt({ key: this.key, padding, oaepHash: 'sha1' }, bytes)
  }
}
