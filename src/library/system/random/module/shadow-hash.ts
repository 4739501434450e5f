// Password hashes of crypt(3): sha512 and sha256 (with `rounds=N$`) by Drepper's specification, and the md5 of FreeBSD.
import { createHash, randomInt } from 'node:crypto'
import { misuse } from '../../../../data/mod.ts'

const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

interface Scheme {
  ident: string
  saltLength: number
  make(password: Buffer, salt: string): string
}

const digest = (algorithm: string, ...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash(algorithm)
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Return `length` bytes by repeating the block. */
function repeated(block: Buffer, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = block[i % block.length]!
  return bytes
}

/** Encode three bytes as four characters, low bits first. */
function encode(bytes: Buffer, order: readonly number[][]): string {
  let text = ''
  for (const places of order) {
    let value = places.reduce((sum, place) => (sum << 8) | bytes[place]!, 0)
    const count = Math.ceil((places.length * 8) / 6)
    for (let i = 0; i < count; i++) {
      text += ALPHABET[value & 63]
      value >>= 6
    }
  }
  return text
}

/** Return one part for every set bit of the length and another for every clear bit, from the lowest. */
function byBits(length: number, set: Uint8Array, clear: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let n = length; n > 0; n >>= 1) parts.push(n & 1 ? set : clear)
  return parts
}

const MIN_ROUNDS = 1000
const MAX_ROUNDS = 999999999

function sha(algorithm: 'sha256' | 'sha512', ident: string, order: readonly number[][]): Scheme {
  const make = (password: Buffer, given: string): string => {
    const spec = /^rounds=(\d+)\$/.exec(given)
    const rounds = spec ? Math.min(Math.max(Number(spec[1]), MIN_ROUNDS), MAX_ROUNDS) : 5000
    const salt = given
      .slice(spec?.[0].length ?? 0)
      .split('$')[0]!
      .slice(0, 16)
    const s = Buffer.from(salt)
    const inner = digest(algorithm, password, s, password)
    const start = digest(
      algorithm,
      password,
      s,
      repeated(inner, password.length),
      ...byBits(password.length, inner, password),
    )
    const p = repeated(digest(algorithm, ...Array(password.length).fill(password)), password.length)
    const ds = repeated(digest(algorithm, ...Array(16 + start[0]!).fill(s)), s.length)
    let current = start
    for (let i = 0; i < rounds; i++) {
      const parts = [i & 1 ? p : current]
      if (i % 3) parts.push(ds)
      if (i % 7) parts.push(p)
      parts.push(i & 1 ? current : p)
      current = digest(algorithm, ...parts)
    }
    return `$${ident}$${spec ? `rounds=${rounds}$` : ''}${salt}$${encode(current, order)}`
  }
  return { ident, saltLength: 16, make }
}

/** Return triples, each rotated by one position from the previous one. */
function triples(count: number, step: number, turn: 1 | -1): number[][] {
  return Array.from({ length: count }, (_, i) => {
    const places = [i, i + step, i + 2 * step]
    const shift = (((turn * i) % 3) + 3) % 3
    return [...places.slice(shift), ...places.slice(0, shift)]
  })
}

function md5(password: Buffer, given: string): string {
  const salt = given.split('$')[0]!.slice(0, 8)
  const s = Buffer.from(salt)
  const inner = digest('md5', password, s, password)
  let current = digest(
    'md5',
    password,
    Buffer.from('$1$'),
    s,
    repeated(inner, password.length),
    ...byBits(password.length, Buffer.alloc(1), password.subarray(0, 1)),
  )
  for (let i = 0; i < 1000; i++) {
    const parts: Buffer[] = [i & 1 ? password : current]
    if (i % 3) parts.push(s)
    if (i % 7) parts.push(password)
    parts.push(i & 1 ? current : password)
    current = digest('md5', ...parts)
  }
  const order = [[0, 6, 12], [1, 7, 13], [2, 8, 14], [3, 9, 15], [4, 10, 5], [11]]
  return `$1$${salt}$${encode(current, order)}`
}

const SCHEMES: Readonly<Record<string, Scheme>> = {
  sha512: sha('sha512', '6', [...triples(21, 21, 1), [63]]),
  sha256: sha('sha256', '5', [...triples(10, 10, -1), [31, 30]]),
  md5: { ident: '1', saltLength: 8, make: md5 },
}

const randomSalt = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

export function shadowHash(password: string, salt: string | undefined, algorithm: string): string {
  const scheme = Object.hasOwn(SCHEMES, algorithm) ? SCHEMES[algorithm]! : undefined
  if (!scheme) {
    const native = `['${Object.keys(SCHEMES).join("', '")}']`
    throw misuse(`Cannot hash using '${algorithm}' hash algorithm. Natively supported algorithms are: ${native}.`)
  }
  return scheme.make(Buffer.from(password), salt ?? randomSalt(scheme.saltLength))
}
