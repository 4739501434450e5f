// NaCl's boxes as PyNaCl writes them: a secret box with its nonce in front, and a sealed box that only the owner of a key opens.
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { SaltError } from '../../data/mod.ts'
import { blake2b, poly1305 } from './digests.ts'
import { hsalsa20, xsalsa20 } from './salsa20.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 24
const PROOF_BYTES = 16

/** What stands before the bytes of a key of X25519 in DER. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex')
const PUBLIC_HEAD = Buffer.from('302a300506032b656e032100', 'hex')

const failed = (message: string): SaltError => new SaltError('CommandExecutionError', message)

function checked(key: Uint8Array, what: string): Uint8Array {
  if (key.length !== KEY_BYTES) throw failed(`The ${what} key must be exactly ${KEY_BYTES} bytes long`)
  return key
}

const privateKey = (bytes: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, checked(bytes, 'secret')]), format: 'der', type: 'pkcs8' })

const publicKey = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, checked(bytes, 'public')]), format: 'der', type: 'spki' })

const tail = (der: Buffer): Uint8Array => new Uint8Array(der.subarray(-KEY_BYTES))

/** A new pair of keys. */
export function newKeys(): { secret: Uint8Array; open: Uint8Array } {
  const pair = generateKeyPairSync('x25519')
  return {
    secret: tail(pair.privateKey.export({ format: 'der', type: 'pkcs8' })),
    open: tail(pair.publicKey.export({ format: 'der', type: 'spki' })),
  }
}

/** The public key of a secret one. */
export function openKey(secret: Uint8Array): Uint8Array {
  return tail(createPublicKey(privateKey(secret)).export({ format: 'der', type: 'spki' }))
}

/** Proof and message, both made with the stream of key and nonce. */
function shut(message: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const stream = xsalsa20(key, nonce, KEY_BYTES + message.length)
  const body = message.map((byte, index) => byte ^ stream[KEY_BYTES + index]!)
  return Buffer.concat([poly1305(stream.subarray(0, KEY_BYTES), body), body])
}

function opened(box: Uint8Array, nonce: Uint8Array, key: Uint8Array): Uint8Array {
  const body = box.subarray(PROOF_BYTES)
  const stream = xsalsa20(key, nonce, KEY_BYTES + body.length)
  const proof = poly1305(stream.subarray(0, KEY_BYTES), body)
  const isWhole = box.length >= PROOF_BYTES && timingSafeEqual(proof, box.subarray(0, PROOF_BYTES))
  if (!isWhole) throw failed('Decryption failed. Ciphertext failed verification')
  return new Uint8Array(body.map((byte, index) => byte ^ stream[KEY_BYTES + index]!))
}

export function shutSecretBox(message: Uint8Array, key: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES)
  return Buffer.concat([nonce, shut(message, nonce, checked(key, 'secret'))])
}

export function openSecretBox(box: Uint8Array, key: Uint8Array): Uint8Array {
  return opened(box.subarray(NONCE_BYTES), box.subarray(0, NONCE_BYTES), checked(key, 'secret'))
}

/** What both ends of a sealed box know. */
function shared(secret: Uint8Array, open: Uint8Array): Uint8Array {
  const agreed = diffieHellman({ privateKey: privateKey(secret), publicKey: publicKey(open) })
  return hsalsa20(new Uint8Array(agreed), new Uint8Array(16))
}

export function shutSealedBox(message: Uint8Array, receiver: Uint8Array): Uint8Array {
  const once = newKeys()
  const nonce = blake2b(Buffer.concat([once.open, checked(receiver, 'public')]), NONCE_BYTES)
  return Buffer.concat([once.open, shut(message, nonce, shared(once.secret, receiver))])
}

export function openSealedBox(box: Uint8Array, secret: Uint8Array): Uint8Array {
  if (box.length < KEY_BYTES + PROOF_BYTES) throw failed('Decryption failed. The box is too short')
  const sender = box.subarray(0, KEY_BYTES)
  const nonce = blake2b(Buffer.concat([sender, openKey(secret)]), NONCE_BYTES)
  return opened(box.subarray(KEY_BYTES), nonce, shared(secret, sender))
}
