// RSA keys in Salt's use. Operations with the private exponent are asynchronous, because they take a millisecond:
// signing and decrypting run on Node's thread pool while a master keeps reading.
import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  privateDecrypt,
  privateEncrypt,
  publicDecrypt,
  publicEncrypt,
  sign,
  verify,
  webcrypto,
} from 'node:crypto'
import { promisify } from 'node:util'
import { isWireError, WireError } from '../errors.ts'
import { DEFAULT_ENCRYPTION, DEFAULT_SIGNING, oaep, signingHash } from './algorithms.ts'
import { cleanKey } from './pem.ts'
import { rsaNumbers } from './public-numbers.ts'
import { originalForm, padX931, smallerForm, toBigInt, unpadX931 } from './x931.ts'

// made with each use: programs that never sign do not load Node's cryptography
const signLater = (hash: string, data: Uint8Array, key: KeyObject): Promise<Buffer> => promisify(sign)(hash, data, key)

/** The constant content of the token that proves a minion's identity. */
const TOKEN = Buffer.from('salt')

/** The hash of context signatures; Salt's peers never name it. */
const TEXT_HASH = 'sha256'

export class RsaPublicKey {
  /** The cleaned PEM, as it travels. */
  readonly pem: string
  private readonly key: KeyObject
  private modulusOnce: bigint | undefined

  /** Takes a PEM of either public form. */
  constructor(pem: string | KeyObject) {
    this.key = typeof pem === 'string' ? readPublic(pem) : pem
    this.pem = typeof pem === 'string' ? cleanKey(pem) : cleanKey(exportPublic(pem))
  }

  encrypt(data: Uint8Array | string, algorithm: string = DEFAULT_ENCRYPTION): Buffer {
    return publicEncrypt({ key: this.key, ...oaep(algorithm) }, toBuffer(data))
  }

  verify(data: Uint8Array | string, signature: Uint8Array, algorithm: string = DEFAULT_SIGNING): boolean {
    return verify(signingHash(algorithm), toBuffer(data), this.key, signature)
  }

  /** Verify a signature of `RsaPrivateKey.signText`. */
  verifyText(text: string, signature: Uint8Array): boolean {
    return verify(TEXT_HASH, Buffer.from(text), this.key, signature)
  }

  /** Return the content of an X9.31 block from the private key; undefined if the key did not make it. */
  openX931(bytes: Uint8Array): Buffer | undefined {
    let raw: Buffer
    try {
      raw = publicDecrypt({ key: this.key, padding: constants.RSA_NO_PADDING }, bytes)
    } catch {
      // of another length than the key's, or no number below its modulus
      return undefined
    }
    return unpadX931(originalForm(raw, this.modulus))
  }

  /** Whether the bytes are the token of the minion that holds the private key. */
  isToken(bytes: Uint8Array): boolean {
    return this.openX931(bytes)?.equals(TOKEN) === true
  }

  private get modulus(): bigint {
    return (this.modulusOnce ??= modulusOf(this.key))
  }
}

/** The key of a PEM, undefined when it is none. */
export function readPublicKey(pem: string): RsaPublicKey | undefined {
  try {
    return new RsaPublicKey(pem)
  } catch (error) {
    if (isWireError(error, 'InvalidKeyError')) return undefined
    throw error
  }
}

export class RsaPrivateKey {
  readonly publicKey: RsaPublicKey
  private readonly key: KeyObject
  private tokenOnce: Buffer | undefined
  private webKey: Promise<webcrypto.CryptoKey> | undefined

  /** Takes PKCS#1 and PKCS#8, encrypted with a passphrase or not. */
  constructor(pem: string, passphrase?: string) {
    this.key = readPrivate(pem, passphrase)
    this.publicKey = new RsaPublicKey(createPublicKey(this.key))
  }

  sign(data: Uint8Array | string, algorithm: string = DEFAULT_SIGNING): Promise<Buffer> {
    return signLater(signingHash(algorithm), toBuffer(data), this.key)
  }

  /** Sign the text of a context (`signed-context.ts`). The hash is none that a peer can ask for. */
  signText(text: string): Promise<Buffer> {
    return signLater(TEXT_HASH, Buffer.from(text), this.key)
  }

  async decrypt(data: Uint8Array, algorithm: string = DEFAULT_ENCRYPTION): Promise<Buffer> {
    const { padding, oaepHash } = oaep(algorithm)
    // WebCrypto works on another thread, but knows no SHA-224
    if (oaepHash !== 'sha1') return privateDecrypt({ key: this.key, padding, oaepHash }, data)
    this.webKey ??= webcrypto.subtle.importKey(
      'pkcs8',
      this.key.export({ type: 'pkcs8', format: 'der' }),
      { name: 'RSA-OAEP', hash: 'SHA-1' },
      false,
      ['decrypt'],
    )
    return Buffer.from(await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, await this.webKey, data))
  }

  /** The X9.31 form of a short message; always the same for the same message. */
  async sealX931(message: Uint8Array | string): Promise<Buffer> {
    return this.seal(toBuffer(message))
  }

  /** Return the token that proves the possession of this key. */
  token(): Buffer {
    return (this.tokenOnce ??= this.seal(TOKEN))
  }

  private seal(message: Buffer): Buffer {
    const modulus = modulusOf(this.key)
    const size = Math.ceil(modulus.toString(16).length / 2)
    const raw = privateEncrypt({ key: this.key, padding: constants.RSA_NO_PADDING }, padX931(message, size))
    return smallerForm(raw, modulus)
  }
}

export interface KeyPairPem {
  /** PKCS#1. */
  privatePem: string
  publicPem: string
}

export async function generateRsaKeys(bits = 2048, passphrase?: string): Promise<KeyPairPem> {
  const lock = passphrase ? { cipher: 'aes-256-cbc', passphrase } : {}
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: bits,
    publicExponent: 0x10001,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem', ...lock },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  return { privatePem: privateKey, publicPem: publicKey }
}

function toBuffer(data: Uint8Array | string): Buffer {
  if (typeof data === 'string') return Buffer.from(data)
  return data instanceof Buffer ? data : Buffer.from(data.buffer, data.byteOffset, data.length)
}

function readPublic(pem: string): KeyObject {
  const numbers = rsaNumbers(pem)
  return rsaOnly('public', () =>
    createPublicKey(numbers ? { key: { ...numbers }, format: 'jwk' } : { key: pem, format: 'pem' }),
  )
}

function readPrivate(pem: string, passphrase?: string): KeyObject {
  return rsaOnly('private', () => createPrivateKey({ key: pem, format: 'pem', ...(passphrase ? { passphrase } : {}) }))
}

function rsaOnly(kind: string, read: () => KeyObject): KeyObject {
  let key: KeyObject
  try {
    key = read()
  } catch (error) {
    throw new WireError('InvalidKeyError', `Cannot read the ${kind} key: it is no key in PEM form`, { cause: error })
  }
  if (key.asymmetricKeyType === 'rsa') return key
  throw new WireError('InvalidKeyError', `Cannot use the ${kind} key: it is of type ${key.asymmetricKeyType}, not RSA`)
}

function exportPublic(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'pem' }).toString()
}

function modulusOf(key: KeyObject): bigint {
  return toBigInt(Buffer.from(key.export({ format: 'jwk' }).n!, 'base64url'))
}
