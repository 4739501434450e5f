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

/** How arguments become text and numbers; Markup escapes here. */
export interface PercentConversions {
  str(value: Value): string
  repr(value: Value): string
  /** What `%d` and `%f` see of the value. */
  number(value: Value): Value
}

const PLAIN: PercentConversions = { str, repr, number: (value) => value }

/** No line of a person is longer; wider fields would only fill the memory. */
const WIDEST = 1 << 28

export function formatPercent(format: string, args: Value, conversions: PercentConversions = PLAIN): string {
  return new PercentFormatter(format, args, conversions).run()
}

interface Field {
  flags: string
  width: number
  precision: number
  /** Where the conversion character stands. */
  type: string
}

class PercentFormatter {
  private readonly format: string
  private readonly conversions: PercentConversions
  private readonly mapping: Value | undefined
  /** What is still to be converted; a mapping's value replaces it. */
  private pending: readonly Value[]
  private used = 0
  private at = 0

  constructor(format: string, args: Value, conversions: PercentConversions) {
    this.format = format
    this.conversions = conversions
    this.pending = args instanceof Tuple ? args : [args]
    this.mapping = isMapping(args) ? args : undefined
  }

  run(): string {
    let out = ''
    const { format } = this
    for (;;) {
      const next = format.indexOf('%', this.at)
      if (next < 0) break
      out += format.slice(this.at, next)
      this.at = next + 1
      if (format[this.at] === '%') {
        out += '%'
        this.at++
      } else out += this.field()
    }
    out += format.slice(this.at)
    if (this.used < this.pending.length && this.mapping === undefined) {
      throw typeError('not all arguments converted during string formatting')
    }
    return out
  }

  private field(): string {
    if (this.format[this.at] === '(') this.lookUp()
    let flags = ''
    while ('-+ #0'.includes(this.peek())) flags += this.take()
    let width = this.count('width')
    if (width < 0) {
      flags += '-'
      width = -width
    }
    let precision = -1
    if (this.peek() === '.') {
      this.at++
      precision = Math.max(0, this.count('precision'))
    }
    if ('hlL'.includes(this.peek())) this.at++
    const type = this.take()
    return pad(this.convert({ flags, width, precision, type }), flags, width)
  }

  /** The next character; the end of the format is an error wherever a field is being read. */
  private peek(): string {
    const char = this.format[this.at]
    if (char === undefined) throw valueError('incomplete format')
    return char
  }

  private take(): string {
    const char = String.fromCodePoint(this.format.codePointAt(this.at) ?? 0)
    this.peek()
    this.at += char.length
    return char
  }

  /** `%(key)s`: the key may hold balanced parentheses. */
  private lookUp(): void {
    if (this.mapping === undefined) throw typeError('format requires a mapping')
    const start = this.at + 1
    let open = 1
    for (this.at = start; open > 0; this.at++) {
      const char = this.format[this.at]
      if (char === undefined) throw valueError('incomplete format key')
      if (char === '(') open++
      else if (char === ')') open--
    }
    this.pending = [getItem(this.mapping, this.format.slice(start, this.at - 1))]
    this.used = 0
  }

  private next(): Value {
    const value = this.pending[this.used]
    if (value === undefined) throw typeError('not enough arguments for format string')
    this.used++
    return value
  }

  /** A width or precision: digits, or `*` for the next argument. */
  private count(what: 'width' | 'precision'): number {
    if (this.peek() === '*') {
      this.at++
      const value = this.next()
      if (typeof value === 'boolean') return Number(value)
      if (typeof value === 'bigint') {
        const kind = what === 'width' ? 'ssize_t' : 'int'
        throw new PyError('OverflowError', `Python int too large to convert to C ${kind}`)
      }
      if (typeof value !== 'number' || !Number.isInteger(value)) throw typeError('* wants int')
      return bounded(value)
    }
    const digits = /^\d*/.exec(this.format.slice(this.at, this.at + 20))![0]
    this.at += digits.length
    const most = what === 'width' ? Number.MAX_SAFE_INTEGER : 0x7fffffff
    if (Number(digits) > most) throw valueError(`${what} too big`)
    return bounded(Number(digits))
  }

  private convert(field: Field): string {
    const value = this.next()
    const { type } = field
    switch (type) {
      case 's':
        return cut(this.conversions.str(value), field.precision)
      case 'r':
        return cut(this.conversions.repr(value), field.precision)
      case 'a':
        return cut(ascii(value), field.precision)
      case 'c':
        return character(value)
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        return integer(this.conversions.number(value), field)
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return floating(this.conversions.number(value), field)
      default:
        throw this.unsupported(type)
    }
  }

  private unsupported(type: string): PyError {
    const code = type.codePointAt(0)!
    const shown = code > 31 && code < 128 ? type : '?'
    const index = textLength(this.format.slice(0, this.at - type.length))
    return valueError(`unsupported format character '${shown}' (0x${code.toString(16)}) at index ${index}`)
  }
}

function bounded(count: number): number {
  if (Math.abs(count) > WIDEST) throw new PyError('MemoryError', '')
  return count
}

/** What `%(key)s` may look into; Python takes anything that can be subscribed, save tuples and text. */
function isMapping(value: Value): boolean {
  if (value instanceof Map || value instanceof Uint8Array) return true
  if (Array.isArray(value)) return !(value instanceof Tuple)
  return value instanceof PyObject && !(value instanceof PyStr) && value.getItem !== undefined
}

/** The first `precision` characters. */
function cut(text: string, precision: number): string {
  if (precision < 0) return text
  return hasWideChars(text) ? [...text].slice(0, precision).join('') : text.slice(0, precision)
}

/** Fills up to the width: zeros go between sign and digits, which the conversions have done already. */
function pad(text: string, flags: string, width: number): string {
  const room = width - textLength(text)
  if (room <= 0) return text
  return flags.includes('-') ? text + ' '.repeat(room) : ' '.repeat(room) + text
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

function integer(value: Value, { flags, width, precision, type }: Field): string {
  const radix = RADIX[type]
  const whole = isNumeric(value) && !(value instanceof Float) && (typeof value !== 'number' || Number.isInteger(value))
  if (!isNumeric(value) || (radix !== undefined && !whole)) {
    const wanted = radix === undefined ? 'a real number' : 'an integer'
    throw typeError(`%${type} format: ${wanted} is required, not ${typeName(value)}`)
  }
  const n = whole ? BigInt(value as number | bigint | boolean) : truncated(toDouble(value))
  const size = n < 0n ? -n : n
  let digits = radix === undefined ? str(int(size)) : size.toString(radix)
  if (type === 'X') digits = digits.toUpperCase()
  const sign = n < 0n ? '-' : signOf(flags)
  const prefix = flags.includes('#') && radix !== undefined ? `0${type}` : ''
  const zeros = zeroWidth(flags, width) - sign.length - prefix.length
  return sign + prefix + digits.padStart(Math.max(precision, zeros), '0')
}

/** The int that int(x) gives. */
function truncated(x: number): bigint {
  return Number.isFinite(x) ? BigInt(Math.trunc(x)) : integerOf(x, 0)
}

const signOf = (flags: string): string => (flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '')
const zeroWidth = (flags: string, width: number): number => (flags.includes('0') && !flags.includes('-') ? width : 0)

function floating(value: Value, { flags, width, precision, type }: Field): string {
  if (!isNumeric(value)) {
    // an undefined value has a number to ask for, and fails in its own words
    if (value instanceof PyObject) value.unary?.('+')
    throw typeError(`must be real number, not ${typeName(value)}`)
  }
  const x = toDouble(value)
  const style = type.toLowerCase() as 'e' | 'f' | 'g'
  const sign = x < 0 || Object.is(x, -0) ? '-' : signOf(flags)
  const format = { style, precision: precision < 0 ? 6 : precision, alternate: flags.includes('#') }
  const digits = Number.isFinite(x) ? doubleDigits(Math.abs(x), format) : Number.isNaN(x) ? 'nan' : 'inf'
  const text = sign + digits.padStart(zeroWidth(flags, width) - sign.length, '0')
  return type === style ? text : text.toUpperCase()
}
