// `format(value, spec)`: the format specification mini-language for str, int and float.
import { toDouble } from '../double.ts'
import { PyError, typeError, valueError } from '../errors.ts'
import { hasWideChars, textLength } from '../protocol.ts'
import { floatText, str } from '../repr.ts'
import { Float, int, isNumeric, PyObject, textOf, typeName, type Value } from '../value.ts'
import { type DoubleFormat, doubleDigits } from './double.ts'
import { type FormatSpec, parseSpec } from './parse-spec.ts'

export function format(value: Value, spec: string): string {
  const text = textOf(value)
  if (text !== undefined) return spec === '' ? text : formatText(text, parseSpec(spec, 'str', '<'))
  if (isNumeric(value)) {
    if (spec === '') return str(value)
    const isFloat = value instanceof Float || (typeof value === 'number' && !Number.isInteger(value))
    if (isFloat) return formatDouble(toDouble(value), parseSpec(spec, 'float', '>'), 'float')
    return formatInt(BigInt(value as number | bigint | boolean), parseSpec(spec, typeName(value), '>'), typeName(value))
  }
  if (value instanceof PyObject && value.format) return value.format(spec)
  if (spec !== '') throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`)
  return str(value)
}

const unknownCode = (code: string, type: string): PyError => {
  const shown = /^[!-~]$/.test(code) ? `'${code}'` : `'\\x${code.codePointAt(0)!.toString(16)}'`
  return valueError(`Unknown format code ${shown} for object of type '${type}'`)
}

function formatText(text: string, spec: FormatSpec): string {
  if (spec.type !== '' && spec.type !== 's') throw unknownCode(spec.type, 'str')
  const forbid = (what: string): PyError => valueError(`${what} not allowed in string format specifier`)
  if (spec.sign !== '') throw forbid(spec.sign === ' ' ? 'Space' : 'Sign')
  if (spec.noMinusZero) throw forbid('Negative zero coercion (z)')
  if (spec.alternate) throw forbid('Alternate form (#)')
  if (spec.align === '=' && spec.alignGiven) throw valueError("'=' alignment not allowed in string format specifier")
  const shown =
    spec.precision < 0
      ? text
      : hasWideChars(text)
        ? [...text].slice(0, spec.precision).join('')
        : text.slice(0, spec.precision)
  return padded(shown, { ...spec, align: spec.align === '=' ? '<' : spec.align })
}

/** Fills up to the width on the side that the alignment leaves. */
function padded(text: string, { align, fill, width }: FormatSpec): string {
  const room = width - textLength(text)
  if (room <= 0) return text
  if (align === '<') return text + fill.repeat(room)
  if (align !== '^') return fill.repeat(room) + text
  const left = Math.floor(room / 2)
  return fill.repeat(left) + text + fill.repeat(room - left)
}

const RADIX: Record<string, number> = { b: 2, o: 8, x: 16, X: 16 }

function formatInt(n: bigint, spec: FormatSpec, type: string): string {
  if ('eEfFgG%'.includes(spec.type) && spec.type !== '') return formatDouble(toDouble(int(n)), spec, type)
  if (spec.type !== '' && !'bcdoxXn'.includes(spec.type)) throw unknownCode(spec.type, type)
  if (spec.precision >= 0) throw valueError('Precision not allowed in integer format specifier')
  if (spec.noMinusZero) throw valueError('Negative zero coercion (z) not allowed in integer format specifier')
  if (spec.type === 'c') return formatChar(n, spec)
  const radix = RADIX[spec.type]
  const size = n < 0n ? -n : n
  const digits = radix === undefined ? str(int(size)) : size.toString(radix)
  const prefix = spec.alternate && radix !== undefined ? `0${spec.type}` : ''
  const sign = n < 0n ? '-' : positiveSign(spec)
  const shown = spec.type === 'X' ? digits.toUpperCase() : digits
  return assembled(sign + prefix, shown, '', spec, radix === undefined ? 3 : 4)
}

function formatChar(n: bigint, spec: FormatSpec): string {
  if (spec.sign !== '') throw valueError("Sign not allowed with integer format specifier 'c'")
  if (spec.alternate) throw valueError("Alternate form (#) not allowed with integer format specifier 'c'")
  if (n < 0n || n > 0x10ffffn) throw new PyError('OverflowError', '%c arg not in range(0x110000)')
  return assembled('', String.fromCodePoint(Number(n)), '', spec, 3)
}

const positiveSign = (spec: FormatSpec): string => (spec.sign === '+' || spec.sign === ' ' ? spec.sign : '')

/** Return the format of a type letter for doubles, with its default precision. */
function doubleFormat({ type, precision, alternate }: FormatSpec): DoubleFormat {
  const given = precision >= 0
  if (type === '') return { style: 'g', precision: given ? precision : 17, alternate, pointZero: true }
  if (type === '%') return { style: 'f', precision: given ? precision : 6, alternate }
  const style = type === 'n' ? 'g' : (type.toLowerCase() as 'e' | 'f' | 'g')
  return { style, precision: given ? precision : 6, alternate }
}

function formatDouble(x: number, spec: FormatSpec, type: string): string {
  if (spec.type !== '' && !'eEfFgGn%'.includes(spec.type)) throw unknownCode(spec.type, type)
  const percent = spec.type === '%'
  const shown = Math.abs(percent ? x * 100 : x)
  let text: string
  if (!Number.isFinite(shown)) text = Number.isNaN(shown) ? 'nan' : 'inf'
  else if (spec.type === '' && spec.precision < 0) text = shortest(shown, spec.alternate)
  else text = doubleDigits(shown, doubleFormat(spec))
  if (percent) text += '%'
  const zero = !/[1-9a-z]/.test(text.replace(/e[-+].*/, ''))
  const negative = (x < 0 || Object.is(x, -0)) && !(spec.noMinusZero && zero)
  if (/[A-Z]/.test(spec.type)) text = text.toUpperCase()
  const match = /^(\d*)(.*)$/.exec(text)!
  return assembled(negative ? '-' : positiveSign(spec), match[1]!, match[2]!, spec, 3)
}

/** Return repr's digits; `#` keeps a decimal point, which they usually have. */
function shortest(x: number, alternate: boolean): string {
  const text = floatText(x)
  return alternate && !text.includes('.') ? text.replace('e', '.e') : text
}

/** Sign and prefix, grouped digits and the rest, filled to the width; `=` fills after the sign. */
function assembled(lead: string, digits: string, rest: string, spec: FormatSpec, every: number): string {
  if (spec.align !== '=') return padded(lead + grouped(digits, spec.grouping, every, 0) + rest, spec)
  const room = spec.width - textLength(lead) - textLength(rest)
  // zeros are digits: they are grouped too, and a group never begins with its separator
  if (spec.fill === '0') return lead + grouped(digits, spec.grouping, every, room) + rest
  return lead + padded(grouped(digits, spec.grouping, every, 0), { ...spec, align: '>', width: room }) + rest
}

/** Return digits with separators, with leading zeros up to `width`. */
function grouped(digits: string, separator: string, every: number, width: number): string {
  if (separator === '' || digits === '') return digits.padStart(width, '0')
  let out = ''
  let taken = 0
  for (let i = digits.length - 1; i >= 0 || out.length < width; i--) {
    if (taken > 0 && taken % every === 0) out = separator + out
    out = (digits[i] ?? '0') + out
    taken++
  }
  return out
}
