// Converts the texts of scalars to Python values like PyYAML's safe constructor. Invalid texts raise the exceptions of
// Python's own functions.
import {
  decodeBase64,
  encodeText,
  type Float,
  float,
  floatFromText,
  int,
  intFromText,
  PyError,
  quote,
  valueError,
} from '../../data/mod.ts'

const BOOLS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['no', false],
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
])

export function boolFromScalar(text: string): boolean {
  const value = BOOLS.get(text.toLowerCase())
  if (value === undefined) throw new PyError('KeyError', quote(text.toLowerCase()))
  return value
}

/** `0b`, `0x`, a leading 0 for octal, `1:30` in base 60; underscores anywhere. */
export function intFromScalar(text: string): number | bigint {
  const digits = text.includes('_') ? text.replaceAll('_', '') : text
  const first = firstCharacter(digits)
  const negative = first === '-'
  const plain = negative || first === '+' ? digits.slice(1) : digits
  if (plain === '0') return 0
  return negative ? negated(magnitude(plain)) : magnitude(plain)
}

function magnitude(plain: string): number | bigint {
  if (plain.startsWith('0b')) return intFromText(plain.slice(2), 2)
  if (plain.startsWith('0x')) return intFromText(plain.slice(2), 16)
  if (firstCharacter(plain) === '0') return intFromText(plain, 8)
  if (plain.includes(':')) return sexagesimal(plain)
  return intFromText(plain)
}

/** Parts in base 60 of about as many decimal digits as an int may have. Adding up more takes minutes. */
const MOST_PARTS = 2400

function sexagesimal(text: string): number | bigint {
  const parts = text.split(':')
  if (parts.length > MOST_PARTS) throw valueError(`Exceeds the limit (${MOST_PARTS} parts) for integers in base 60`)
  return int(parts.reduce((sum, part) => sum * 60n + BigInt(intFromText(part)), 0n))
}

const negated = (n: number | bigint): number | bigint => (typeof n === 'bigint' ? int(-n) : 0 - n)

/** `.inf`, `.nan`, `1:30.5` in base 60; underscores anywhere. */
export function floatFromScalar(text: string): number | Float {
  const lowered = text.replaceAll('_', '').toLowerCase()
  const first = firstCharacter(lowered)
  const sign = first === '-' ? -1 : 1
  const plain = first === '-' || first === '+' ? lowered.slice(1) : lowered
  if (plain === '.inf') return sign * Number.POSITIVE_INFINITY
  if (plain === '.nan') return Number.NaN
  if (!plain.includes(':')) return float(sign * floatFromText(plain))
  let total = 0
  let base = 1
  for (const part of plain.split(':').map(floatFromText).reverse()) {
    total += part * base
    base *= 60
  }
  return float(sign * total)
}

/** Python's `text[0]`. */
function firstCharacter(text: string): string {
  if (text === '') throw new PyError('IndexError', 'string index out of range')
  return text[0]!
}

/** Why bytes cannot be had from a scalar; the reason ends an error of the constructor. */
export class BinaryFault extends Error {}

/** `padding` is added where it is missing. */
export function binaryFromScalar(text: string, padding: boolean): Uint8Array {
  const bytes = asciiBytes(text)
  const missing = bytes.length % 4
  const padded = padding && missing > 0 ? Buffer.concat([bytes, Buffer.from('='.repeat(4 - missing))]) : bytes
  return explaining('failed to decode base64 data', () => decodeBase64(padded))
}

const asciiBytes = (text: string): Uint8Array =>
  explaining('failed to convert base64 data into ascii', () => encodeText(text, 'ascii'))

function explaining(action: string, work: () => Uint8Array): Uint8Array {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    throw new BinaryFault(`${action}: ${error.message}`)
  }
}
