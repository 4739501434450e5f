// Python's `round()`: to the nearest decimal, halves to the even digit, judged by the exact value of the float.
import { PyError, typeError } from './errors.ts'
import { Float, float, int, isNumeric, typeName, type Value } from './value.ts'

/** `round(value, digits)`; without digits (None) a float becomes an int. */
export function round(value: Value, digits: Value): Value {
  if (!isNumeric(value)) throw typeError(`type ${typeName(value)} doesn't define __round__ method`)
  const places = digits === null ? undefined : placesOf(digits)
  if (value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))) {
    const n = value instanceof Float ? value.value : value
    return places === undefined ? int(integerOf(n, 0)) : float(roundDouble(n, places))
  }
  const n = BigInt(value)
  if (places === undefined || places >= 0) return int(n)
  // no int that fits the memory has more digits than this
  return places < -400_000 ? 0 : int(nearest(n, 10n ** BigInt(-places)) * 10n ** BigInt(-places))
}

function placesOf(digits: Value): number {
  if (typeof digits === 'boolean' || typeof digits === 'bigint') return Number(digits)
  if (typeof digits === 'number' && Number.isInteger(digits)) return digits
  throw typeError(`'${typeName(digits)}' object cannot be interpreted as an integer`)
}

/** Digits behind the point that a double may have; with more, rounding changes nothing. */
const MOST_PLACES = 323
const LEAST_PLACES = -308

function roundDouble(n: number, places: number): number {
  if (!Number.isFinite(n) || n === 0 || places > MOST_PLACES) return n
  if (places < LEAST_PLACES) return n < 0 ? -0 : 0
  const digits = integerOf(Math.abs(n), places)
  const result = Number(`${digits}e${-places}`)
  if (!Number.isFinite(result)) throw new PyError('OverflowError', 'rounded value too large to represent')
  return n < 0 ? -result : result
}

/** The integer nearest to n × 10^places. */
export function integerOf(n: number, places: number): bigint {
  if (Number.isNaN(n)) throw new PyError('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(n)) throw new PyError('OverflowError', 'cannot convert float infinity to integer')
  const [top, bottom] = fraction(n)
  return places >= 0 ? nearest(top * 10n ** BigInt(places), bottom) : nearest(top, bottom * 10n ** BigInt(-places))
}

/** The double as a fraction of ints, exactly. */
function fraction(n: number): [top: bigint, bottom: bigint] {
  let scaled = n
  let shift = 0n
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    shift++
  }
  return [BigInt(scaled), 1n << shift]
}

/** top / bottom to the nearest integer, halves to even. */
function nearest(top: bigint, bottom: bigint): bigint {
  const size = top < 0n ? -top : top
  const whole = size / bottom
  const twice = (size % bottom) * 2n
  const up = twice > bottom || (twice === bottom && (whole & 1n) === 1n)
  const rounded = up ? whole + 1n : whole
  return top < 0n ? -rounded : rounded
}

/** `'%.*f' % (places, n)` of a finite or special double. */
export function fixedText(n: number, places: number): string {
  if (Number.isNaN(n)) return 'nan'
  const sign = n < 0 || Object.is(n, -0) ? '-' : ''
  if (!Number.isFinite(n)) return `${sign}inf`
  const digits = integerOf(Math.abs(n), places)
    .toString()
    .padStart(places + 1, '0')
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`
}
