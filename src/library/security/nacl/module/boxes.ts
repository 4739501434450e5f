// NaCl boxes in the format of PyNaCl: a secret box with its nonce in front, and a sealed box.
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { hsalsa, secretbox } from '@noble/ciphers/salsa.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { failure, SaltError } from '../../../../data/mod.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 24
const PROOF_BYTES = 16

/** DER prefixes of X25519 keys. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC_HEAD = Buffer.from('302a300506032b656e032100', 'hex')

function checked(key: Uint8Array, what: string): Uint8Array {
  if (key.length !== KEY_BYTES) throw failure(`The ${what} key must be exactly ${KEY_BYTES} bytes long`)
  return key
}

const privateKey = (bytes: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, checked(bytes, 'secret')]), format: 'der', type: 'pkcs8' })

const publicKey = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, checked(bytes, 'public')]), format: 'der', type: 'spki' })

const tail = (der: Buffer): Uint8Array => new Uint8Array(der.subarray(-KEY_BYTES))

/** Create a key pair. */
export function newKeys(): { secret: Uint8Array; open: Uint8Array } {
  const pair = generateKeyPairSync('x25519')
  return {
    secret: tail(pair.privateKey.export({ format: 'der', type: 'pkcs8' })),
    open: tail(pair.publicKey.export({ format: 'der', type: 'spki' })),
  }
}

/** Return the public key of a secret key. */
export function openKey(secret: Uint8Array): Uint8Array {
  return tail(createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' }))
}

function opened(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  try {
    return secretbox(key, nonce).open(box)
  } catch (error) {
    throw new SaltError('CommandExecutionError', 'Decryption failed. Ciphertext failed verification', { cause: error })
  }
}

export function shutSecretBox(message: Uint8Array, key: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  return Buffer.concat([nonce, secretbox(checked(key, 'secret'), nonce).seal(message)])
}

export function openSecretBox(box: Uint8Array, key: Uint8Array): Uint8Array {
  return opened(box.subarray(NONCE_BYTES), box.subarray(0, NONCE_BYTES), checked(key, 'secret'))
}

/** Initial constant of Salsa20. */
const SIGMA = words(Buffer.from('expand 32-byte k'))

function words(bytes: Buffer): Uint32Array {
  return Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32LE(4 * index))
}

/** Return the shared key of both ends of a sealed box. */
function shared(secret: Uint8Array, open: Uint8Array): Uint8Array {
  const agreed = diffieHellman({ privateKey: privateKey(secret), publicKey: publicKey(open) })
  const key = new Uint32Array(KEY_BYTES / 4)
  hsalsa(SIGMA, words(agreed), new Uint32Array(4), key)
  return new Uint8Array(key.buffer)
}

const nonceOf = (sender: Uint8Array, receiver: Uint8Array): Uint8Array =>
  blake2b(Buffer.concat([sender, receiver]), { dkLen: NONCE_BYTES })

export function shutSealedBox(message: Uint8Array, receiver: Uint8Array): Uint8Array {
  const once = newKeys()
  const nonce = nonceOf(once.open, checked(receiver, 'public'))
  return Buffer.concat([once.open, secretbox(shared(once.secret, receiver), nonce).seal(message)])
}

export function openSealedBox(box: Uint8Array, secret: Uint8Array): Uint8Array {
  if (box.length < KEY_BYTES + PROOF_BYTES) throw failure('Decryption failed. The box is too short')
  const sender = box.subarray(0, KEY_BYTES)
  const nonce = nonceOf(sender, openKey(secret))
  return opened(box.subarray(KEY_BYTES), nonce, shared(secret, sender))
}
