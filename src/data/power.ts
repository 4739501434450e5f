// x ** y for floats, rounded as a good C library rounds it: JavaScript's own operator is off by one unit in the last
// place often enough that `10 ** -17` prints differently. Small integral exponents are computed exactly, the others
// in fixed point with far more bits than a double has.
import { PyError } from './errors.ts'

/** Fraction bits of the fixed-point numbers below. */
const BITS = 160
const ONE = 1n << BigInt(BITS)
const LN2 = 2n * atanh(ONE / 3n)

/** Return the power of two finite or special doubles; throw Python's errors. */
export function powDoubles(x: number, y: number): number {
  // two cases where C's pow() has an answer and JavaScript says NaN
  if (x === 1 || (x === -1 && (y === Number.POSITIVE_INFINITY || y === Number.NEGATIVE_INFINITY))) return 1
  if (x === 0 && y < 0 && Number.isFinite(y)) {
    throw new PyError('ZeroDivisionError', '0.0 cannot be raised to a negative power')
  }
  if (x < 0 && Number.isFinite(x) && Number.isFinite(y) && !Number.isInteger(y)) {
    throw new PyError('ValueError', 'negative number cannot be raised to a fractional power')
  }
  const near = x ** y
  if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0 || y === 0) return near
  const size = nearestPower(Math.abs(x), y, near)
  if (!Number.isFinite(size)) throw new PyError('OverflowError', "(34, 'Numerical result out of range')")
  return x < 0 && y % 2 !== 0 ? -size : size
}

function nearestPower(x: number, y: number, near: number): number {
  const log = Math.log2(x) * y
  if (log > 1030 || log < -1090) return Math.abs(near)
  if (Number.isInteger(y) && Math.abs(y) <= 64) return exactPower(x, y)
  const [mantissa, exponent] = split(x)
  const product = timesDouble(log2(mantissa, exponent), y)
  const whole = product >> BigInt(BITS)
  return scale(exp2(product - (whole << BigInt(BITS))) | 1n, BITS - Number(whole))
}

function exactPower(x: number, y: number): number {
  const [mantissa, exponent] = split(x)
  const times = Math.abs(y)
  const power = mantissa ** BigInt(times)
  if (y > 0) return scale(power, -exponent * times)
  const shift = bitLength(power) + 66
  return scale(((1n << BigInt(shift)) / power) | (power === 1n ? 0n : 1n), shift + exponent * times)
}

/** x as odd or zero mantissa × 2^exponent. */
function split(x: number): [mantissa: bigint, exponent: number] {
  let exponent = 0
  let mantissa = x
  if (mantissa < 2 ** -900) {
    mantissa *= 2 ** 200
    exponent -= 200
  }
  const up = 52 - Math.floor(Math.log2(mantissa))
  // in two steps, since 2^up alone may overflow
  mantissa = mantissa * 2 ** Math.trunc(up / 2) * 2 ** (up - Math.trunc(up / 2))
  exponent -= up
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2
    exponent--
  }
  let big = BigInt(mantissa)
  while ((big & 1n) === 0n) {
    big >>= 1n
    exponent++
  }
  return [big, exponent]
}

/** Inverse hyperbolic tangent of a fixed-point number no larger than about a third. */
function atanh(z: bigint): bigint {
  const square = (z * z) >> BigInt(BITS)
  let term = z
  let sum = 0n
  for (let k = 1n; term !== 0n; k += 2n) {
    sum += term / k
    term = (term * square) >> BigInt(BITS)
  }
  return sum
}

function log2(mantissa: bigint, exponent: number): bigint {
  const length = bitLength(mantissa) - 1
  const m = mantissa << BigInt(BITS - length)
  const ln = 2n * atanh(((m - ONE) << BigInt(BITS)) / (m + ONE))
  return (BigInt(exponent + length) << BigInt(BITS)) + (ln << BigInt(BITS)) / LN2
}

/** 2^f for a fixed-point fraction. */
function exp2(f: bigint): bigint {
  const x = (f * LN2) >> BigInt(BITS)
  let term = ONE
  let sum = 0n
  for (let k = 1n; term !== 0n; k++) {
    sum += term
    term = ((term * x) >> BigInt(BITS)) / k
  }
  return sum
}

function timesDouble(fixed: bigint, y: number): bigint {
  const [mantissa, exponent] = split(Math.abs(y))
  const product = y < 0 ? -fixed * mantissa : fixed * mantissa
  return exponent >= 0 ? product << BigInt(exponent) : product >> BigInt(-exponent)
}

/** n / 2^shift as a double, rounded once, half to even. */
export function scale(n: bigint, shift: number): number {
  const bits = bitLength(n) - shift
  if (bits > 1100) return Number.POSITIVE_INFINITY
  if (bits < -1080) return 0
  if (bits > -1021) {
    const sticky = Math.max(0, bitLength(n) - 120)
    const short = sticky === 0 ? n : (n >> BigInt(sticky)) | 1n
    const by = shift - sticky
    const half = Math.trunc(by / 2)
    return (Number(short) / 2 ** half) * 2 ** (half - by)
  }
  // a subnormal result keeps fewer bits: round to its unit, 2^-1074, here and not twice
  if (shift <= 1074) return Number(n << BigInt(1074 - shift)) * 2 ** -1074
  const drop = BigInt(shift - 1074)
  const kept = n >> drop
  const rest = n - (kept << drop)
  const middle = 1n << (drop - 1n)
  const up = rest > middle || (rest === middle && (kept & 1n) === 1n)
  return Number(kept + (up ? 1n : 0n)) * 2 ** -1074
}

/** `int.bit_length()` of a non-negative int. */
export function bitLength(n: bigint): number {
  if (n === 0n) return 0
  const hex = n.toString(16)
  return hex.length * 4 - Math.clz32(Number.parseInt(hex[0]!, 16)) + 28
}
