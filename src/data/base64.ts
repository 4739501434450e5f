// Base64 as Python's `binascii` reads it: characters of no meaning are skipped, the first complete padding ends the data.
import { PyError } from './errors.ts'

const EQUALS = 0x3d

/** Whether a byte is one of the 64 digits. */
const DIGITS = new Uint8Array(256)
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') DIGITS[char.charCodeAt(0)] = 1

export function decodeBase64(bytes: Uint8Array): Uint8Array {
  const digits = Buffer.alloc(bytes.length)
  let count = 0
  let pads = 0
  for (const byte of bytes) {
    if (byte === EQUALS) {
      if (count % 4 >= 2 && (count % 4) + ++pads >= 4) return decoded(digits, count)
    } else if (DIGITS[byte]) {
      pads = 0
      digits[count++] = byte
    }
  }
  if (count % 4 === 0) return decoded(digits, count)
  throw new PyError(
    'binascii.Error',
    count % 4 === 1
      ? `Invalid base64-encoded string: number of data characters (${count}) cannot be 1 more than a multiple of 4`
      : 'Incorrect padding',
  )
}

const decoded = (digits: Buffer, count: number): Uint8Array =>
  new Uint8Array(Buffer.from(digits.toString('latin1', 0, count), 'base64'))
