// CPython's hash() of values whose hash is the same in every process: numbers and tuples of numbers. Text hashes depend
// on a random seed, so no code can rely on their order.
import { Float, Tuple, type Value } from './value.ts'

/** Numbers hash by their value modulo this prime, so that 1, 1.0 and True agree. */
const MODULUS = 2n ** 61n - 1n

/** The hash as a signed 64-bit int, or undefined when it differs from process to process. */
export function stableHash(value: Value): bigint | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isInteger(value) ? hashInt(BigInt(value)) : hashDouble(value)
    case 'bigint':
    case 'boolean':
      return hashInt(BigInt(value))
    case 'string':
      return value === '' ? 0n : undefined
    default:
      if (value instanceof Float) return hashInt(BigInt(value.value))
      return value instanceof Tuple ? hashTuple(value) : undefined
  }
}

/** -1 means "error" inside CPython, so no hash is -1. */
const notMinusOne = (hash: bigint): bigint => (hash === -1n ? -2n : hash)

const hashInt = (n: bigint): bigint => notMinusOne(n < 0n ? -(-n % MODULUS) : n % MODULUS)

function hashDouble(x: number): bigint | undefined {
  if (Number.isNaN(x)) return undefined
  if (!Number.isFinite(x)) return x > 0 ? 314159n : -314159n
  let exponent = 0
  let mantissa = Math.abs(x)
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    exponent++
  }
  // 2^61 is 1 modulo the prime, so dividing by 2^e is multiplying by 2^(61 - e mod 61)
  const hash = (BigInt(mantissa) * 2n ** BigInt(61 - (exponent % 61))) % MODULUS
  return notMinusOne(x < 0 ? -hash : hash)
}

const PRIME_1 = 11400714785074694791n
const PRIME_2 = 14029467366897019727n
const PRIME_5 = 2870177450012600261n

const unsigned = (n: bigint): bigint => BigInt.asUintN(64, n)

/** The xxHash-like mix of a tuple's item hashes. */
function hashTuple(items: Tuple): bigint | undefined {
  let mix = PRIME_5
  for (const item of items) {
    const hash = stableHash(item)
    if (hash === undefined) return undefined
    mix = unsigned(mix + unsigned(hash) * PRIME_2)
    mix = unsigned((mix << 31n) | (mix >> 33n))
    mix = unsigned(mix * PRIME_1)
  }
  mix = unsigned(mix + (BigInt(items.length) ^ (PRIME_5 ^ 3527539n)))
  return mix === 0xffffffffffffffffn ? 1546275796n : BigInt.asIntN(64, mix)
}
