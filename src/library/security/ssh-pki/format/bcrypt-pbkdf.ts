// A key from a passphrase, as OpenSSH derives it for private keys: bcrypt in place of the hash of PBKDF2, with the bytes of the
// blocks interleaved.
import { createHash } from 'node:crypto'
import { Blowfish } from './blowfish.ts'

const BLOCK = 32
const PLAIN = Buffer.from('OxychromaticBlowfishSwatDynamite')

const sha512 = (bytes: Uint8Array): Buffer => createHash('sha512').update(bytes).digest()
const wordsOf = (bytes: Buffer): Uint32Array =>
  Uint32Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readUInt32BE(index * 4))

function bcryptHash(passphrase: Uint32Array, salt: Uint32Array): Buffer {
  const cipher = new Blowfish()
  cipher.expand(passphrase, salt)
  for (let round = 0; round < 64; round++) {
    cipher.expand(salt)
    cipher.expand(passphrase)
  }
  const words = wordsOf(PLAIN)
  for (let round = 0; round < 64; round++) {
    for (let at = 0; at < words.length; at += 2) cipher.encrypt(words, at)
  }
  const out = Buffer.alloc(BLOCK)
  for (const [index, word] of words.entries()) out.writeUInt32LE(word, index * 4)
  return out
}

export function bcryptPbkdf(passphrase: string, salt: Uint8Array, rounds: number, length: number): Buffer {
  const secret = wordsOf(sha512(Buffer.from(passphrase)))
  const blocks = Math.ceil(length / BLOCK)
  const key = Buffer.alloc(length)
  for (let block = 0; block < blocks; block++) {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(block + 1)
    let last = bcryptHash(secret, wordsOf(sha512(Buffer.concat([salt, counter]))))
    const mixed = Buffer.from(last)
    for (let round = 1; round < rounds; round++) {
      last = bcryptHash(secret, wordsOf(sha512(last)))
      for (let index = 0; index < BLOCK; index++) mixed[index]! ^= last[index]!
    }
    for (let index = 0; index * blocks + block < length; index++) key[index * blocks + block] = mixed[index]!
  }
  return key
}
