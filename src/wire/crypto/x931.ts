// ANSI X9.31 padding around a raw RSA operation: the identity token and the digest in an auth reply are made so. No
// hash is involved. The result is the smaller of s and n − s, so the other side may have to take the difference back.
import { WireError } from '../errors.ts'

/** The block of the key's size that holds the message. */
export function padX931(message: Uint8Array, size: number): Buffer {
  const room = size - message.length - 2
  if (room < 0) {
    throw new WireError('BadSetting', `Cannot sign ${message.length} bytes with a key of ${size} bytes`)
  }
  const block = Buffer.alloc(size, 0xbb)
  block[0] = room === 0 ? 0x6a : 0x6b
  if (room > 0) block[room] = 0xba
  block.set(message, room + 1)
  block[size - 1] = 0xcc
  return block
}

/** The message that a block holds; undefined when it is not padded so. */
export function unpadX931(block: Uint8Array): Buffer | undefined {
  const end = block.length - 1
  if (block[end] !== 0xcc) return undefined
  if (block[0] === 0x6a) return Buffer.from(block.subarray(1, end))
  if (block[0] !== 0x6b) return undefined
  let at = 1
  while (at < end && block[at] === 0xbb) at++
  if (block[at] !== 0xba) return undefined
  return Buffer.from(block.subarray(at + 1, end))
}

/** The smaller of the number and its difference to the modulus. */
export function smallerForm(bytes: Uint8Array, modulus: bigint): Buffer {
  const n = toBigInt(bytes)
  const other = modulus - n
  return n <= other ? Buffer.from(bytes) : toBytes(other, bytes.length)
}

/** Return the block for the result of a raw public operation: the candidate that ends in the nibble c. */
export function originalForm(bytes: Uint8Array, modulus: bigint): Buffer {
  if ((bytes[bytes.length - 1]! & 0x0f) === 0x0c) return Buffer.from(bytes)
  return toBytes(modulus - toBigInt(bytes), bytes.length)
}

export function toBigInt(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`)
}

function toBytes(n: bigint, size: number): Buffer {
  return Buffer.from(n.toString(16).padStart(2 * size, '0'), 'hex')
}
