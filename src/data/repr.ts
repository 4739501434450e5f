// Python's str() and repr(). Jinja prints lists and dicts into YAML all the time, so every character counts.

import { PyError } from './errors.ts'
import { Float, OrderedDict, type PyObject, Tuple, type Value } from './value.ts'

export function str(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return Number.isInteger(value) ? intText(value) : floatText(value)
    case 'boolean':
      return value ? 'True' : 'False'
    case 'bigint':
      return bigText(value)
    default:
      if (value === null) return 'None'
      if (Array.isArray(value) || value instanceof Map || value instanceof Uint8Array) return repr(value)
      if (value instanceof Float) return floatText(value.value)
      return (value as PyObject).str()
  }
}

/** CPython refuses to print longer ints, because that takes quadratic time. */
const MOST_DIGITS = 4300
const TOO_LONG = 10n ** BigInt(MOST_DIGITS)

function bigText(n: bigint): string {
  if (n >= TOO_LONG || n <= -TOO_LONG) {
    throw new PyError(
      'ValueError',
      `Exceeds the limit (${MOST_DIGITS} digits) for integer string conversion; ` +
        'use sys.set_int_max_str_digits() to increase the limit',
    )
  }
  return n.toString()
}

export function repr(value: Value): string {
  return typeof value === 'string' ? quote(value) : new Printer().print(value)
}

/** Texts of small ints, which templates print all the time; creating one costs ten times the look-up. */
const SMALL_INTS = new Array<string | undefined>(16384)

function intText(n: number): string {
  // a minus sign before zero is not an int's
  if (n >= 0 && n < SMALL_INTS.length) return (SMALL_INTS[n] ??= String(n === 0 ? 0 : n))
  return String(n)
}

/** Deeper than any data a person wrote; Python gives up at its recursion limit too. */
const DEEPEST = 900

class Printer {
  private readonly open = new Set<object>()

  print(value: Value): string {
    if (typeof value === 'string') return quote(value)
    if (typeof value !== 'object' || value === null || value instanceof Float) return str(value)
    if (value instanceof Uint8Array) return quoteBytes(value)
    if (Array.isArray(value))
      return this.nested(value, value instanceof Tuple ? '(...)' : '[...]', () => this.items(value))
    if (value instanceof Map) return this.nested(value, '{...}', () => this.dict(value))
    return value.repr()
  }

  private nested(value: object, again: string, body: () => string): string {
    if (this.open.has(value)) return again
    if (this.open.size > DEEPEST) {
      throw new PyError('RecursionError', 'maximum recursion depth exceeded while getting the repr of an object')
    }
    this.open.add(value)
    try {
      return body()
    } finally {
      this.open.delete(value)
    }
  }

  private items(list: Value[]): string {
    const parts = list.map((item) => this.print(item))
    if (!(list instanceof Tuple)) return `[${parts.join(', ')}]`
    return parts.length === 1 ? `(${parts[0]},)` : `(${parts.join(', ')})`
  }

  private dict(map: Map<Value, Value>): string {
    const ordered = map instanceof OrderedDict
    const parts: string[] = []
    for (const [key, value] of map) {
      const entry = ordered ? `(${this.print(key)}, ${this.print(value)})` : `${this.print(key)}: ${this.print(value)}`
      parts.push(entry)
    }
    if (!ordered) return `{${parts.join(', ')}}`
    return parts.length === 0 ? 'OrderedDict()' : `OrderedDict([${parts.join(', ')}])`
  }
}

/** Python's shortest float text: JavaScript's digits, Python's choice between plain and exponent form. */
export function floatText(n: number): string {
  if (Number.isNaN(n)) return 'nan'
  if (!Number.isFinite(n)) return n > 0 ? 'inf' : '-inf'
  if (n === 0) return Object.is(n, -0) ? '-0.0' : '0.0'
  const size = Math.abs(n)
  if (size >= 1e16 || size < 1e-4) {
    const [digits, exponent] = n.toExponential().split('e') as [string, string]
    const power = exponent.slice(1).padStart(2, '0')
    return `${digits}e${exponent[0]}${power}`
  }
  const text = String(n)
  return text.includes('.') ? text : `${text}.0`
}

/** Code points that repr escapes: controls, unassigned, lone surrogates and every space but the plain one. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u

const SHORT_ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A str's repr. */
export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  if (!/['\\]|[^\x20-\x7e]/.test(text)) return `'${text}'`
  let out = mark
  for (const char of text) {
    if (char === mark) out += `\\${char}`
    else if (char in SHORT_ESCAPES) out += SHORT_ESCAPES[char]
    else if (char !== ' ' && UNPRINTABLE.test(char)) out += escapeCodePoint(char.codePointAt(0)!)
    else out += char
  }
  return out + mark
}

function escapeCodePoint(code: number): string {
  const hex = code.toString(16)
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

function quoteBytes(bytes: Uint8Array): string {
  const mark = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'"
  let out = `b${mark}`
  for (const byte of bytes) {
    const char = String.fromCharCode(byte)
    if (char === mark) out += `\\${char}`
    else if (char in SHORT_ESCAPES) out += SHORT_ESCAPES[char]
    else out += byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, '0')}` : char
  }
  return out + mark
}
