// Python's `int(text)` and `float(text)`: spaces around, underscores between digits and any script's digits are fine.
import { valueError } from './errors.ts'
import { quote } from './repr.ts'
import { isAscii, strip } from './text.ts'
import { int } from './value.ts'

const DECIMAL = /^[+-]?\d+(?:_\d+)*$/
const MOST_DIGITS = 4300

/** `int(text, base)`; throws Python's ValueError. */
export function intFromText(text: string, base = 10): number | bigint {
  if (base !== 0 && (base < 2 || base > 36)) throw valueError('int() base must be >= 2 and <= 36, or 0')
  const plain = plainText(text)
  if (base === 10) {
    if (!DECIMAL.test(plain)) throw invalidInt(text, base)
    return decimal(plain.replaceAll('_', ''))
  }
  const match = /^([+-]?)(0[box]_?)?([\da-z]+(?:_[\da-z]+)*)$/i.exec(plain)
  if (match === null) throw invalidInt(text, base)
  return based(text, base, match[1] === '-', match[2] ?? '', match[3]!.replaceAll('_', ''))
}

function decimal(digits: string): number | bigint {
  if (digits.length < 16) return Number(digits) + 0 // no minus zero
  assertFewDigits(digits.length - (/^[+-]/.test(digits) ? 1 : 0))
  return int(BigInt(digits.replace('+', '')))
}

/** Reading an int takes time by the square of its digits, unless the base is a power of two. */
function assertFewDigits(count: number): void {
  if (count <= MOST_DIGITS) return
  throw valueError(
    `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion: value has ${count} digits; ` +
      'use sys.set_int_max_str_digits() to increase the limit',
  )
}

const PREFIX_BASES: Record<string, number> = { b: 2, o: 8, x: 16 }
const BASE_PREFIXES: Record<number, string> = { 2: '0b', 8: '0o', 16: '0x' }

function based(text: string, base: number, negative: boolean, prefix: string, digits: string): number | bigint {
  let radix = base
  let all = digits
  const named = prefix === '' ? undefined : PREFIX_BASES[prefix[1]!.toLowerCase()]!
  if (base === 0) radix = named ?? 10
  if (named !== undefined && named !== radix) {
    // in a larger base the letters of "0b1" are digits
    all = prefix.replace('_', '') + digits
  }
  if (base === 0 && named === undefined && /^0+[^0]/.test(all)) throw invalidInt(text, base)
  for (const digit of all) if (Number.parseInt(digit, 36) >= radix) throw invalidInt(text, base)
  const value = magnitude(all, radix)
  return int(negative ? -value : value)
}

function magnitude(digits: string, radix: number): bigint {
  const prefix = BASE_PREFIXES[radix]
  if (prefix !== undefined) return BigInt(prefix + digits)
  assertFewDigits(digits.length)
  return Array.from(digits).reduce((sum, digit) => sum * BigInt(radix) + BigInt(Number.parseInt(digit, 36)), 0n)
}

const invalidInt = (text: string, base: number): Error =>
  valueError(`invalid literal for int() with base ${base}: ${Array.from(quote(text)).slice(0, 200).join('')}`)

const FLOAT = /^[+-]?(?:(?:\d+(?:_\d+)*\.?|(?:\d+(?:_\d+)*)?\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?)$/i
const SPECIAL = /^([+-]?)(inf|infinity|nan)$/i

/** `float(text)` as a JavaScript number; throws Python's ValueError. */
export function floatFromText(text: string): number {
  const plain = plainText(text)
  if (FLOAT.test(plain)) return Number(plain.replaceAll('_', ''))
  const special = SPECIAL.exec(plain)
  if (special === null) throw valueError(`could not convert string to float: ${quote(text)}`)
  if (special[2]!.toLowerCase() === 'nan') return Number.NaN
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu

/** Return the text without surrounding spaces (the four separators \x1c-\x1f are spaces only in text that is not all ASCII). */
function plainText(text: string): string {
  if (isAscii(text)) return text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '')
  return strip(text.replace(OTHER_DIGIT, (digit) => String(digitWorth(digit))))
}

/**
 * Return the value of a digit. The ten digits of a script are consecutive, and adjacent rows are a multiple of ten
 * apart.
 */
function digitWorth(digit: string): number {
  const code = digit.codePointAt(0)!
  let start = code
  while (/^\p{Nd}$/u.test(String.fromCodePoint(start - 1))) start--
  return (code - start) % 10
}
