// The key that publications are encrypted with, shared by all minions, and the serial numbers that count up on it. A
// new key starts at 1 again: minions take a lower number on the same key for a repetition.
import { createHash } from 'node:crypto'
import { Crypticle, generateKeyString, type RsaPrivateKey } from '../crypto/mod.ts'

export class PublishSecret {
  private current: Crypticle
  private serial = 0
  private sentSerial = 0
  private seal: { key: RsaPrivateKey; bytes: Promise<Buffer> } | undefined
  /** When the key was made, in milliseconds of the clock: it is replaced after `publish_session` seconds. */
  madeAt: number = Date.now()

  constructor(keyString: string = generateKeyString()) {
    this.current = new Crypticle(keyString)
  }

  get crypticle(): Crypticle {
    return this.current
  }

  get keyString(): string {
    return this.current.keyString
  }

  nextSerial(): number {
    return ++this.serial
  }

  /** The serial number of the last publication that was sent with the current key. */
  get lastSent(): number {
    return this.sentSerial
  }

  /** Note that a publication was sent. */
  noteSent(key: Crypticle, serial: number): void {
    if (key === this.current) this.sentSerial = serial
  }

  rotate(keyString: string = generateKeyString()): void {
    this.current = new Crypticle(keyString)
    this.serial = 0
    this.sentSerial = 0
    this.seal = undefined
    this.madeAt = Date.now()
  }

  /** Return the proof for minions that the key is the master's: encrypted by it, and constant until the key changes. */
  digest(key: RsaPrivateKey): Promise<Buffer> {
    if (this.seal?.key !== key) {
      const digest = createHash('sha256').update(this.keyString).digest('hex')
      this.seal = { key, bytes: key.sealX931(digest) }
    }
    return this.seal.bytes
  }
}
