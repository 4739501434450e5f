// Python's `json.loads`: dicts as Maps in the text's order, ints of any size, NaN and the infinities, the last of equal
// keys, and the words and places of Python's own complaints.
import { decodeBytes } from '../codecs.ts'
import { PyError } from '../errors.ts'
import { intFromText } from '../number-text.ts'
import { textLength } from '../protocol.ts'
import { type Dict, float, type Value } from '../value.ts'

/** Reads one JSON text; bytes may be UTF-8, UTF-16 or UTF-32. */
export function loadJson(source: string | Uint8Array): Value {
  const text = typeof source === 'string' ? source : decodeJson(source)
  if (text.startsWith('\ufeff')) throw decodeError('Unexpected UTF-8 BOM (decode using utf-8-sig)', text, 0)
  return new JsonReader(text).document()
}

/** The error where nobody sees it: its place in a long text costs as much as the text is long. */
const NOT_JSON = new PyError('JSONDecodeError', '')

/** Return the first valid object or array in the text, whatever surrounds it; throw ValueError if there is none. */
export function findJson(text: string): Value {
  const opening = /[{[]/g
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    try {
      return new JsonReader(text, match.index, true).value()
    } catch (error) {
      if (error !== NOT_JSON) throw error
    }
  }
  throw new PyError('ValueError', '')
}

function decodeJson(bytes: Uint8Array): string {
  return decodeBytes(bytes, jsonEncoding(bytes), 'surrogatepass')
}

/** Detect the encoding by the byte order mark, or by the zero bytes in the first two characters, which are ASCII. */
function jsonEncoding(bytes: Uint8Array): string {
  const [a, b, c, d] = bytes
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32' : 'utf-16'
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return 'utf-32'
  if (a === 0xfe && b === 0xff) return 'utf-16'
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8-sig'
  if (bytes.length >= 4) {
    if (a === 0) return b === 0 ? 'utf-32-be' : 'utf-16-be'
    if (b === 0) return c === 0 && d === 0 ? 'utf-32-le' : 'utf-16-le'
  } else if (bytes.length === 2) {
    if (a === 0) return 'utf-16-be'
    if (b === 0) return 'utf-16-le'
  }
  return 'utf-8'
}

function decodeError(message: string, text: string, at: number): PyError {
  const before = text.slice(0, at)
  const place = textLength(before)
  const line = before.split('\n').length
  const column = textLength(before.slice(before.lastIndexOf('\n') + 1)) + 1
  return new PyError('JSONDecodeError', `${message}: line ${line} column ${column} (char ${place})`)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_START = 0x5b
const ARRAY_END = 0x5d
const OBJECT_START = 0x7b
const OBJECT_END = 0x7d

const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y

const ESCAPES: Record<string, string> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

const WORDS: ReadonlyArray<[word: string, value: Value]> = [
  ['null', null],
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]

/** Python's stack ends near here. */
const DEEPEST = 990

/**
 * The most that the values of a text may cost, or a short text from the network would end the process: its values need far
 * more memory than its characters. A unit is about thirty bytes.
 */
const MOST_UNITS = 1 << 24
const LIST_UNITS = 2
const DICT_UNITS = 6

class JsonReader {
  private readonly text: string
  private at: number
  private depth = 0
  private units = 0
  private readonly isQuiet: boolean

  constructor(text: string, at = 0, isQuiet = false) {
    this.text = text
    this.at = at
    this.isQuiet = isQuiet
  }

  document(): Value {
    this.skipSpace()
    const value = this.value()
    this.skipSpace()
    if (this.at !== this.text.length) throw this.error('Extra data')
    return value
  }

  value(): Value {
    switch (this.text.charCodeAt(this.at)) {
      case QUOTE:
        return this.string()
      case OBJECT_START:
        return this.object()
      case ARRAY_START:
        return this.array()
      default:
        return this.scalar()
    }
  }

  private error(message: string, at = this.at): PyError {
    return this.isQuiet ? NOT_JSON : decodeError(message, this.text, at)
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at++
    }
  }

  private descend(kind: 'object' | 'array'): void {
    this.at++
    this.count(kind === 'object' ? DICT_UNITS : LIST_UNITS)
    if (++this.depth <= DEEPEST) return
    const what = `decoding a JSON ${kind} from a unicode string`
    throw new PyError('RecursionError', `maximum recursion depth exceeded while ${what}`)
  }

  private count(units: number): void {
    this.units += units
    if (this.units > MOST_UNITS) throw new PyError('MemoryError', 'the JSON has too many values')
  }

  private object(): Dict {
    this.descend('object')
    const { text } = this
    const dict: Dict = new Map()
    this.skipSpace()
    if (text.charCodeAt(this.at) !== OBJECT_END) {
      for (;;) {
        if (text.charCodeAt(this.at) !== QUOTE) {
          throw this.error('Expecting property name enclosed in double quotes')
        }
        const key = this.string()
        this.skipSpace()
        if (text.charCodeAt(this.at) !== COLON) throw this.error("Expecting ':' delimiter")
        this.at++
        this.skipSpace()
        dict.set(key, this.value())
        this.count(2)
        this.skipSpace()
        const code = text.charCodeAt(this.at)
        if (code === OBJECT_END) break
        if (code !== COMMA) throw this.error("Expecting ',' delimiter")
        this.at++
        this.skipSpace()
      }
    }
    this.at++
    this.depth--
    return dict
  }

  private array(): Value[] {
    this.descend('array')
    const { text } = this
    const list: Value[] = []
    this.skipSpace()
    if (text.charCodeAt(this.at) !== ARRAY_END) {
      for (;;) {
        list.push(this.value())
        this.count(1)
        this.skipSpace()
        const code = text.charCodeAt(this.at)
        if (code === ARRAY_END) break
        if (code !== COMMA) throw this.error("Expecting ',' delimiter")
        this.at++
        this.skipSpace()
      }
    }
    this.at++
    this.depth--
    return list
  }

  private string(): string {
    const { text } = this
    const start = this.at + 1
    for (let i = start; ; i++) {
      const code = text.charCodeAt(i)
      if (code === QUOTE) {
        this.at = i + 1
        return text.slice(start, i)
      }
      // past the end the code is NaN, for which both comparisons are false
      if (code === BACKSLASH || !(code >= 0x20)) return this.stringWithEscapes(start, i)
    }
  }

  private stringWithEscapes(start: number, firstSpecial: number): string {
    const { text } = this
    let result = text.slice(start, firstSpecial)
    this.at = firstSpecial
    for (;;) {
      const from = this.at
      let code = text.charCodeAt(this.at)
      while (code !== QUOTE && code !== BACKSLASH && code >= 0x20) code = text.charCodeAt(++this.at)
      result += text.slice(from, this.at)
      if (code === QUOTE) {
        this.at++
        return result
      }
      if (code < 0x20) throw this.error('Invalid control character at')
      if (code !== BACKSLASH || this.at + 1 >= text.length) {
        throw this.error('Unterminated string starting at', start - 1)
      }
      result += this.escaped()
    }
  }

  /** Reads the escape that begins here. */
  private escaped(): string {
    const letter = this.text[this.at + 1]!
    if (letter !== 'u') {
      const char = ESCAPES[letter]
      if (char === undefined) throw this.error('Invalid \\escape')
      this.at += 2
      return char
    }
    const first = this.hexUnit(this.at)
    this.at += 6
    // half of a surrogate pair before an invalid escape is an error
    const pairs = first >= 0xd800 && first < 0xdc00 && this.text.startsWith('\\u', this.at)
    if (pairs && this.at + 6 < this.text.length) this.hexUnit(this.at)
    return String.fromCharCode(first)
  }

  /** The number of the `\uXXXX` that begins at the place; something must follow it. */
  private hexUnit(at: number): number {
    const digits = this.text.slice(at + 2, at + 6)
    if (at + 6 >= this.text.length || !/^[0-9a-fA-F]{4}$/.test(digits)) {
      throw this.error('Invalid \\uXXXX escape', at + 1)
    }
    return Number.parseInt(digits, 16)
  }

  private scalar(): Value {
    const { text } = this
    const small = this.smallInt()
    if (small !== undefined) return small
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(text)
    if (match !== null) {
      this.at = NUMBER.lastIndex
      const [digits, fraction, exponent] = match
      if (fraction !== undefined || exponent !== undefined) return float(Number(digits))
      return intFromText(digits)
    }
    for (const [word, value] of WORDS) {
      if (!text.startsWith(word, this.at)) continue
      this.at += word.length
      return value
    }
    throw this.error('Expecting value')
  }

  /** An int of few digits and no sign, by far the most common number; undefined if it is none or goes on. */
  private smallInt(): number | undefined {
    const { text } = this
    let i = this.at
    let value = 0
    let code = text.charCodeAt(i)
    while (code >= 0x30 && code <= 0x39) {
      value = value * 10 + code - 0x30
      code = text.charCodeAt(++i)
    }
    const length = i - this.at
    // a leading zero, a fraction and an exponent need special handling
    if (length === 0 || length > 15 || code === 0x2e || (code | 0x20) === 0x65) return undefined
    if (length > 1 && text.charCodeAt(this.at) === 0x30) return undefined
    this.at = i
    return value
  }
}
