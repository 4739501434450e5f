// Digits of floats in C's e, f and g styles, correctly rounded (halves to even, judged by the exact value).
import { fixedText, integerOf } from '../round.ts'

/** Maximum number of decimal places of a double; further requested digits are zeros. */
const MOST_DIGITS = 1100

export type DoubleStyle = 'e' | 'f' | 'g' | 'r'

export interface DoubleFormat {
  style: DoubleStyle
  precision: number
  /** `#`: the point stays, and `g` keeps its zeros. */
  alternate?: boolean
  /** `g` that shows a float to be one, as str() does. */
  pointZero?: boolean
}

/** The text of a non-negative finite double. */
export function doubleDigits(x: number, format: DoubleFormat): string {
  const { style, precision, alternate = false } = format
  switch (style) {
    case 'f':
      return fixed(x, precision, alternate)
    case 'e':
      return scientific(x, precision, alternate).text
    default:
      return general(x, format)
  }
}

function fixed(x: number, precision: number, alternate: boolean): string {
  const exact = Math.min(precision, MOST_DIGITS)
  const text = fixedText(x, exact) + '0'.repeat(precision - exact)
  return alternate && precision === 0 ? `${text}.` : text
}

function scientific(x: number, precision: number, alternate: boolean): { text: string; exponent: number } {
  const exact = Math.min(precision, MOST_DIGITS)
  let exponent = x === 0 ? 0 : Math.floor(Math.log10(x))
  let digits = integerOf(x, exact - exponent).toString()
  // the logarithm may be off by one, and rounding may carry into a further digit
  while (digits.length !== exact + 1 && x !== 0) {
    exponent += digits.length > exact + 1 ? 1 : -1
    digits = integerOf(x, exact - exponent).toString()
  }
  const all = digits.padEnd(precision + 1, '0')
  const point = precision > 0 || alternate ? '.' : ''
  return { text: `${all[0]}${point}${all.slice(1)}${exponentText(exponent)}`, exponent }
}

function exponentText(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

function general(x: number, { precision, alternate = false, pointZero = false }: DoubleFormat): string {
  const significant = precision === 0 ? 1 : precision
  const { text, exponent } = scientific(x, significant - 1, alternate)
  if (exponent < -4 || exponent >= significant - (pointZero ? 1 : 0)) {
    const [digits, power] = text.split('e') as [string, string]
    return `${trimmed(digits, alternate)}e${power}`
  }
  const plain = trimmed(fixed(x, significant - 1 - exponent, alternate), alternate)
  return pointZero && !plain.includes('.') ? `${plain}.0` : plain
}

const trimmed = (digits: string, alternate: boolean): string =>
  alternate || !digits.includes('.') ? digits : digits.replace(/\.?0+$/, '')
