// Parses a printf-style format into literal text and fields. Templates use few formats often, so results are cached. An
// invalid field is an error only when formatting reaches it, after the preceding text.
import { textLength } from '../protocol.ts'

export interface PercentField {
  /** The text before the field. */
  literal: string
  /** `%(key)s`. */
  key: string | undefined
  minus: boolean
  /** `+`, a space or nothing. */
  sign: string
  alternate: boolean
  zero: boolean
  /** '*' takes the next argument. */
  width: number | '*'
  /** -1 if there is none. */
  precision: number | '*'
  type: string
  /** Position of the type letter, in code points. */
  at: number
  /** The error of the field, if any. */
  failure: string | undefined
}

export interface PercentFormat {
  fields: readonly PercentField[]
  /** The text after the last field. */
  rest: string
}

const MOST_KEPT = 512
const kept = new Map<string, PercentFormat>()

export function parsePercent(format: string): PercentFormat {
  let parsed = kept.get(format)
  if (parsed === undefined) {
    parsed = new PercentParser(format).parse()
    if (kept.size >= MOST_KEPT) kept.clear()
    if (format.length <= 1024) kept.set(format, parsed)
  }
  return parsed
}

class PercentParser {
  private readonly format: string
  private at = 0

  constructor(format: string) {
    this.format = format
  }

  parse(): PercentFormat {
    const { format } = this
    const fields: PercentField[] = []
    let literal = ''
    for (;;) {
      const next = format.indexOf('%', this.at)
      if (next < 0) return { fields, rest: literal + format.slice(this.at) }
      literal += format.slice(this.at, next)
      this.at = next + 1
      if (format[this.at] === '%') {
        literal += '%'
        this.at++
        continue
      }
      const field = this.field(literal)
      fields.push(field)
      literal = ''
      if (field.failure !== undefined) return { fields, rest: '' }
    }
  }

  private field(literal: string): PercentField {
    const field: PercentField = {
      literal,
      key: undefined,
      minus: false,
      sign: '',
      alternate: false,
      zero: false,
      width: 0,
      precision: -1,
      type: '',
      at: 0,
      failure: undefined,
    }
    field.failure = this.readKey(field) ?? this.readFlags(field) ?? this.readSizes(field) ?? this.readType(field)
    return field
  }

  /** The key may hold balanced parentheses. */
  private readKey(field: PercentField): string | undefined {
    if (this.format[this.at] !== '(') return undefined
    const start = this.at + 1
    let open = 1
    field.key = ''
    for (this.at = start; open > 0; this.at++) {
      const char = this.format[this.at]
      if (char === undefined) return 'incomplete format key'
      if (char === '(') open++
      else if (char === ')') open--
    }
    field.key = this.format.slice(start, this.at - 1)
    return undefined
  }

  private readFlags(field: PercentField): string | undefined {
    for (; ; this.at++) {
      switch (this.format[this.at]) {
        case '-':
          field.minus = true
          break
        case '+':
          field.sign = '+'
          break
        case ' ':
          field.sign ||= ' '
          break
        case '#':
          field.alternate = true
          break
        case '0':
          field.zero = true
          break
        default:
          return undefined
      }
    }
  }

  private readSizes(field: PercentField): string | undefined {
    field.width = this.size()
    if (field.width !== '*' && field.width > Number.MAX_SAFE_INTEGER) return 'width too big'
    if (this.format[this.at] !== '.') return undefined
    this.at++
    field.precision = this.size()
    return field.precision !== '*' && field.precision > 0x7fffffff ? 'precision too big' : undefined
  }

  private size(): number | '*' {
    if (this.format[this.at] === '*') {
      this.at++
      return '*'
    }
    const start = this.at
    while (this.at < this.format.length && this.format[this.at]! >= '0' && this.format[this.at]! <= '9') this.at++
    return Number(this.format.slice(start, this.at))
  }

  private readType(field: PercentField): string | undefined {
    const length = this.format[this.at]
    if (length === 'h' || length === 'l' || length === 'L') this.at++
    const code = this.format.codePointAt(this.at)
    if (code === undefined) return 'incomplete format'
    field.type = String.fromCodePoint(code)
    field.at = textLength(this.format.slice(0, this.at))
    this.at += field.type.length
    return undefined
  }
}
