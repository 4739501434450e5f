// Encrypts all data in NATS with a key of the cluster's masters: the NATS servers see only names of keys and sizes, and
// a record cannot be forged without the secret.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { BrineError } from '../base/mod.ts'

const NONCE = 12
const TAG = 16

/** Return the nonce of an encrypted message, which is unique. */
export const nonceOf = (sealed: Uint8Array): string => Buffer.from(sealed.subarray(0, NONCE)).toString('base64url')

export class Seal {
  private readonly key: Buffer

  constructor(key: Buffer) {
    this.key = key
  }

  /** Encrypt bytes for a position; the message can be decrypted only for the same `place`. */
  close(bytes: Uint8Array, place: string): Buffer {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(place))
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }

  open(sealed: Uint8Array, place: string): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
    try {
      if (bytes.length < NONCE + TAG) throw new RangeError('too short')
      const options = { authTagLength: TAG }
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE), options)
      decipher.setAAD(Buffer.from(place))
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE, bytes.length - TAG)), decipher.final()])
    } catch {
      throw new BrineError(
        'ClusterSeal',
        `A message of the cluster at ${place} was not sealed with its secret: cluster_secret differs between masters, or somebody else writes there`,
      )
    }
  }
}
