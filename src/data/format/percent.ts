// `format % args`: printf-style formatting of text.
import { toDouble } from '../double.ts'
import { PyError, typeError, valueError } from '../errors.ts'
import { hasWideChars, textLength } from '../protocol.ts'
import { repr, str } from '../repr.ts'
import { integerOf } from '../round.ts'
import { getItem } from '../subscript.ts'
import { Float, int, isNumeric, PyObject, PyStr, Tuple, textOf, typeName, type Value } from '../value.ts'
import { ascii } from './ascii.ts'
import { doubleDigits } from './double.ts'
import { type PercentField, parsePercent } from './parse-percent.ts'

/** Conversions of arguments to text and numbers; Markup escapes here. */
export interface PercentConversions {
  str(value: Value): string
  repr(value: Value): string
  /** Return the value for `%d` and `%f`. */
  number(value: Value): Value
}

const PLAIN: PercentConversions = { str, repr, number: (value) => value }

/** Limit of the width: wider fields would only fill the memory. */
const WIDEST = 1 << 28

export function formatPercent(format: string, args: Value, conversions: PercentConversions = PLAIN): string {
  const { fields, rest } = parsePercent(format)
  const given = new Arguments(args)
  let out = ''
  for (const field of fields) {
    out += field.literal
    out += formatField(field, given, conversions)
  }
  given.finish()
  return out + rest
}

/** The arguments of the format; the value of a mapping key replaces the remaining arguments. */
class Arguments {
  private readonly mapping: Value | undefined
  private pending: readonly Value[]
  private used = 0

  constructor(args: Value) {
    this.pending = args instanceof Tuple ? args : [args]
    this.mapping = isMapping(args) ? args : undefined
  }

  next(): Value {
    const value = this.pending[this.used]
    if (value === undefined) throw typeError('not enough arguments for format string')
    this.used++
    return value
  }

  requireMapping(): Value {
    if (this.mapping === undefined) throw typeError('format requires a mapping')
    return this.mapping
  }

  lookUp(key: string): void {
    this.pending = [getItem(this.requireMapping(), key)]
    this.used = 0
  }

  finish(): void {
    if (this.used < this.pending.length && this.mapping === undefined) {
      throw typeError('not all arguments converted during string formatting')
    }
  }
}

/** Whether `%(key)s` can index a value; Python accepts anything with subscripts, except tuples and text. */
function isMapping(value: Value): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Map || value instanceof Uint8Array) return true
  if (Array.isArray(value)) return !(value instanceof Tuple)
  return value instanceof PyObject && !(value instanceof PyStr) && value.getItem !== undefined
}

function formatField(field: PercentField, given: Arguments, conversions: PercentConversions): string {
  if (field.key !== undefined) {
    given.requireMapping()
    if (field.failure !== 'incomplete format key') given.lookUp(field.key)
  }
  let width = field.width === '*' ? starred(given.next(), 'ssize_t') : field.width
  const minus = field.minus || width < 0
  width = Math.abs(width)
  const precision = field.precision === '*' ? Math.max(0, starred(given.next(), 'int')) : field.precision
  if (field.failure !== undefined) throw valueError(field.failure)
  if (width > WIDEST || precision > WIDEST) throw new PyError('MemoryError', '')
  // zeros go between sign and digits, so the conversions insert them
  const zeros = field.zero && !minus ? width : 0
  const text = converted(field, given.next(), precision, zeros, conversions)
  const room = width === 0 ? 0 : width - textLength(text)
  if (room <= 0) return text
  return minus ? text + ' '.repeat(room) : ' '.repeat(room) + text
}

/** The argument that a `*` takes. */
function starred(value: Value, kind: 'ssize_t' | 'int'): number {
  if (typeof value === 'boolean') return Number(value)
  if (typeof value === 'bigint') {
    throw new PyError('OverflowError', `Python int too large to convert to C ${kind}`)
  }
  if (typeof value !== 'number' || !Number.isInteger(value)) throw typeError('* wants int')
  return value
}

function converted(
  field: PercentField,
  value: Value,
  precision: number,
  zeros: number,
  conversions: PercentConversions,
): string {
  switch (field.type) {
    case 's':
      return cut(conversions.str(value), precision)
    case 'r':
      return cut(conversions.repr(value), precision)
    case 'a':
      return cut(ascii(value), precision)
    case 'c':
      return character(value)
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      return integer(conversions.number(value), field, precision, zeros)
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      return floating(conversions.number(value), field, precision, zeros)
    default:
      throw unsupported(field)
  }
}

function unsupported({ type, at }: PercentField): PyError {
  const code = type.codePointAt(0)!
  const shown = code > 31 && code < 128 ? type : '?'
  return valueError(`unsupported format character '${shown}' (0x${code.toString(16)}) at index ${at}`)
}

/** The first `precision` characters. */
function cut(text: string, precision: number): string {
  if (precision < 0) return text
  return hasWideChars(text) ? [...text].slice(0, precision).join('') : text.slice(0, precision)
}

function character(value: Value): string {
  const text = textOf(value)
  if (text !== undefined && textLength(text) === 1) return text
  const whole =
    typeof value === 'number' ? Number.isInteger(value) : typeof value === 'bigint' || typeof value === 'boolean'
  if (!whole) throw typeError('%c requires int or char')
  const code = Number(value)
  if (code < 0 || code > 0x10ffff) throw new PyError('OverflowError', '%c arg not in range(0x110000)')
  return String.fromCodePoint(code)
}

const RADIX: Record<string, number> = { o: 8, x: 16, X: 16 }

function integer(value: Value, { type, sign, alternate }: PercentField, precision: number, zeros: number): string {
  const radix = RADIX[type]
  const whole = isNumeric(value) && !(value instanceof Float) && (typeof value !== 'number' || Number.isInteger(value))
  if (!isNumeric(value) || (radix !== undefined && !whole)) {
    if (radix === undefined) letFail(value)
    const wanted = radix === undefined ? 'a real number' : 'an integer'
    throw typeError(`%${type} format: ${wanted} is required, not ${typeName(value)}`)
  }
  const n = whole
    ? typeof value === 'boolean'
      ? Number(value)
      : (value as number | bigint)
    : truncated(toDouble(value))
  const size = n < 0 ? -n : n
  let digits = radix === undefined ? str(size) : size.toString(radix)
  if (type === 'X') digits = digits.toUpperCase()
  const lead = (n < 0 ? '-' : sign) + (alternate && radix !== undefined ? `0${type}` : '')
  return lead + digits.padStart(Math.max(precision, zeros - lead.length), '0')
}

/** Throw the error of an undefined value, which `%d` converts to a number first. */
function letFail(value: Value): void {
  if (value instanceof PyObject) value.unary?.('+')
}

/** The int that int(x) gives. */
function truncated(x: number): number | bigint {
  return int(Number.isFinite(x) ? BigInt(Math.trunc(x)) : integerOf(x, 0))
}

function floating(value: Value, field: PercentField, precision: number, zeros: number): string {
  if (!isNumeric(value)) {
    letFail(value)
    throw typeError(`must be real number, not ${typeName(value)}`)
  }
  const x = toDouble(value)
  const style = field.type.toLowerCase() as 'e' | 'f' | 'g'
  const sign = x < 0 || Object.is(x, -0) ? '-' : field.sign
  const format = { style, precision: precision < 0 ? 6 : precision, alternate: field.alternate }
  const digits = Number.isFinite(x) ? doubleDigits(Math.abs(x), format) : Number.isNaN(x) ? 'nan' : 'inf'
  const text = sign + digits.padStart(zeros - sign.length, '0')
  return field.type === style ? text : text.toUpperCase()
}
