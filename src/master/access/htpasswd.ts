// Passwords of Apache's htpasswd files: Apache's MD5 (`$apr1$`) and SHA-1 (`{SHA}`) here, bcrypt and the system's other
// formats by its own crypt(3).
import { createHash } from 'node:crypto'
import type { Dict } from '../../data/mod.ts'
import { askPython } from './system-python.ts'

/** Script that reads a stored and a given password from its input, and prints crypt(3) of the given one. */
const CRYPT = `
import ctypes, sys
stored, given = sys.stdin.buffer.read().split(b"\\0")
crypt = ctypes.CDLL("libcrypt.so.1").crypt
crypt.restype = ctypes.c_char_p
sys.stdout.buffer.write(crypt(given, stored) or b"")
`

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The bytes of the digest in each group of characters. */
const GROUPS = [
  [0, 6, 12],
  [1, 7, 13],
  [2, 8, 14],
  [3, 9, 15],
  [4, 10, 5],
] as const

function characters(bits: number, count: number): string {
  let text = ''
  for (let at = 0; at < count; at++) text += ALPHABET[(bits >> (6 * at)) & 63]
  return text
}

const md5 = (...parts: ReadonlyArray<string | Uint8Array>): Buffer => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Return a password as Apache's MD5 stores it with that salt. */
function apacheMd5(password: string, salt: string): string {
  const key = Buffer.from(password)
  const inner = md5(key, salt, key)
  const first: Array<string | Uint8Array> = [key, '$apr1$', salt]
  for (let left = key.length; left > 0; left -= 16) first.push(inner.subarray(0, Math.min(16, left)))
  for (let left = key.length; left > 0; left >>= 1) first.push(left & 1 ? Buffer.of(0) : key.subarray(0, 1))
  let sum = md5(...first)
  for (let round = 0; round < 1000; round++) {
    const [isOdd, salted, keyed] = [round & 1, round % 3 === 0 ? '' : salt, round % 7 === 0 ? '' : key]
    sum = isOdd ? md5(key, salted, keyed, sum) : md5(sum, salted, keyed, key)
  }
  const groups = GROUPS.map(([a, b, c]) => characters((sum[a]! << 16) | (sum[b]! << 8) | sum[c]!, 4))
  return `$apr1$${salt}$${groups.join('')}${characters(sum[11]!, 2)}`
}

/** Longer passwords are refused: each round of a slow hash reads the whole password. */
const MOST_BYTES = 4096

/** Return the given password in the form of the stored one, for comparison; undefined if the form is not supported. */
export async function htpasswdForm(opts: Dict, stored: string, given: string): Promise<string | undefined> {
  if (Buffer.byteLength(given) > MOST_BYTES || given.includes('\0') || stored.includes('\0')) return undefined
  if (stored.startsWith('$apr1$')) return apacheMd5(given, stored.split('$')[2]!.slice(0, 8))
  if (stored.startsWith('{SHA}')) return `{SHA}${createHash('sha1').update(given).digest('base64')}`
  const { code, text } = await askPython(opts, CRYPT, [stored, given])
  // crypt(3) answers with `*0` or `*1` when it does not know the format
  return code === 0 && text !== '' && !text.startsWith('*') ? text : undefined
}
