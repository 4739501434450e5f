// Salt's authenticated encryption: IV, AES-192-CBC, HMAC-SHA256 over both. The contents begin with `pickle::`, then
// the nonce of the request in replies, then MessagePack.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto'
import {
  type DecodeOptions,
  decodeMsgpack,
  encodeMsgpack,
  encodePieces,
  isDict,
  Pieces,
  type Value,
} from '../../data/mod.ts'
import { WireError } from '../errors.ts'

const AES_KEY = 24
const HMAC_KEY = 32
/** The size of a whole key. */
export const KEY_BYTES = AES_KEY + HMAC_KEY
const IV = 16
const BLOCK = 16
const MAC = 32
const NONCE = 32
/** Hex digits of a key's id. */
const KEY_ID = 32
const MARK = Buffer.from('pickle::')
const CIPHER = 'aes-192-cbc'
/** Chunk size. Small enough that a chunk is still in the CPU cache when its MAC is computed. */
const SLICE = 1 << 17

/** A new key as it travels: base64 of the AES key and the HMAC key behind it. */
export function generateKeyString(): string {
  return randomBytes(KEY_BYTES).toString('base64')
}

export interface OpenOptions extends Partial<DecodeOptions> {
  /** The nonce that the contents must begin with. */
  nonce?: string
}

/** IVs are taken from a pool: a call for random bytes costs more than the bytes. */
const pool = Buffer.allocUnsafe(IV * 256)
let poolAt = pool.length

function nextIv(): Buffer {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  const iv = Buffer.from(pool.subarray(poolAt, poolAt + IV))
  poolAt += IV
  return iv
}

export class Crypticle {
  readonly keyString: string
  private readonly aesKey: KeyObject
  private readonly hmacKey: KeyObject
  private highest = 0
  private idOnce: string | undefined

  constructor(keyString: string) {
    const bytes = Buffer.from(keyString, 'base64')
    if (bytes.length !== AES_KEY + HMAC_KEY) {
      throw new WireError(
        'InvalidKeyError',
        `Cannot use a key of ${bytes.length} bytes, ${AES_KEY + HMAC_KEY} are needed`,
      )
    }
    this.keyString = keyString
    this.aesKey = createSecretKey(bytes.subarray(0, AES_KEY))
    this.hmacKey = createSecretKey(bytes.subarray(AES_KEY))
  }

  /** A name of the key that does not give it away. */
  get id(): string {
    return (this.idOnce ??= createHash('sha256').update(this.keyString).digest('hex').slice(0, KEY_ID))
  }

  /** The highest serial number that came with this key. */
  get serial(): number {
    return this.highest
  }

  /** Take messages up to this serial number for repetitions. */
  startAfter(serial: number): void {
    this.highest = Math.max(this.highest, serial)
  }

  encrypt(plain: Uint8Array, iv: Buffer = nextIv()): Buffer {
    const cipher = createCipheriv(CIPHER, this.aesKey, iv)
    const body = cipher.update(plain)
    const end = cipher.final()
    const mac = createHmac('sha256', this.hmacKey).update(iv).update(body).update(end).digest()
    return Buffer.concat([iv, body, end, mac], IV + body.length + end.length + MAC)
  }

  /** Encrypt long data in pieces, without joining them. */
  private encryptPieces(plain: readonly Uint8Array[]): Pieces {
    const iv = nextIv()
    const cipher = createCipheriv(CIPHER, this.aesKey, iv)
    const hmac = createHmac('sha256', this.hmacKey).update(iv)
    const parts: Buffer[] = [iv]
    const add = (part: Buffer): void => {
      hmac.update(part)
      parts.push(part)
    }
    for (const piece of plain)
      for (let at = 0; at < piece.length; at += SLICE) add(cipher.update(piece.subarray(at, at + SLICE)))
    add(cipher.final())
    parts.push(hmac.digest())
    return new Pieces(parts)
  }

  /** Throws an `AuthenticationError` when the message was not made with this key. */
  decrypt(message: Uint8Array): Buffer {
    const end = message.length - MAC
    if (end < 0) throw notAuthentic()
    const signed = message.subarray(0, end)
    const mac = createHmac('sha256', this.hmacKey).update(signed).digest()
    if (!timingSafeEqual(mac, message.subarray(end))) throw notAuthentic()
    // the holder of the key made the rest, so an invalid shape is an accident
    const decipher = createDecipheriv(CIPHER, this.aesKey, signed.subarray(0, IV)).setAutoPadding(false)
    const plain = decipher.update(signed.subarray(IV))
    decipher.final()
    // a cipher that looks after the padding keeps the last block back, and all would have to be copied to have it
    const padding = plain[plain.length - 1] ?? 0
    if (padding < 1 || padding > BLOCK) throw notAuthentic()
    return plain.subarray(0, -padding)
  }

  seal(value: unknown, nonce?: string): Buffer {
    return this.encrypt(Buffer.concat([headOf(nonce), encodeMsgpack(value, 'wire')]))
  }

  /** Like `seal`, but long data stays in pieces and is not copied. */
  sealLong(value: unknown, nonce?: string): Buffer | Pieces {
    const packed = encodePieces(value, 'wire')
    const head = headOf(nonce)
    return packed.length === 1 ? this.encrypt(Buffer.concat([head, packed[0]!])) : this.encryptPieces([head, ...packed])
  }

  /** Return the value of a message; an empty mapping for a replay or for unmarked content. */
  open(message: Uint8Array, options: OpenOptions = {}): Value {
    const plain = this.decrypt(message)
    if (!plain.subarray(0, MARK.length).equals(MARK)) return new Map()
    let at = MARK.length
    if (options.nonce !== undefined) {
      if (plain.toString('latin1', at, at + NONCE) !== options.nonce) {
        throw new WireError('SaltClientError', 'Nonce verification error')
      }
      at += NONCE
    }
    const { nonce: _, dialect = 'wire', ...reading } = options
    const value = decodeMsgpack(plain.subarray(at), { dialect, ...reading })
    return isDict(value) && value.has('serial') && !this.isNew(value.get('serial')!, value) ? new Map() : value
  }

  private isNew(serial: Value, value: Map<Value, Value>): boolean {
    value.delete('serial')
    if (!Number.isSafeInteger(serial) || (serial as number) <= this.highest) return false
    this.highest = serial as number
    return true
  }
}

const headOf = (nonce: string | undefined): Buffer => (nonce ? Buffer.concat([MARK, Buffer.from(nonce)]) : MARK)

function notAuthentic(): WireError {
  return new WireError('AuthenticationError', 'message authentication failed')
}
