// Splits a JMESPath expression into tokens, with the tolerance and the error texts of the Python library that Salt's
// `json_query` uses: a literal that is no JSON counts as text. Positions count code points.
import { PyError } from '../errors.ts'
import { loadJson } from '../json/mod.ts'
import { hasWideChars, textLength } from '../protocol.ts'
import { int, type Value } from '../value.ts'

export type JmespathTokenType =
  | 'and'
  | 'colon'
  | 'comma'
  | 'current'
  | 'dot'
  | 'eof'
  | 'eq'
  | 'expref'
  | 'filter'
  | 'flatten'
  | 'gt'
  | 'gte'
  | 'lbrace'
  | 'lbracket'
  | 'literal'
  | 'lparen'
  | 'lt'
  | 'lte'
  | 'ne'
  | 'not'
  | 'number'
  | 'or'
  | 'pipe'
  | 'quoted_identifier'
  | 'rbrace'
  | 'rbracket'
  | 'rparen'
  | 'star'
  | 'unquoted_identifier'

export interface JmespathToken {
  type: JmespathTokenType
  value: Value
  start: number
}

/** An operator that begins with another one comes first. */
const SIGNS: ReadonlyArray<readonly [string, JmespathTokenType]> = [
  ['[]', 'flatten'],
  ['[?', 'filter'],
  ['[', 'lbracket'],
  [']', 'rbracket'],
  ['||', 'or'],
  ['|', 'pipe'],
  ['&&', 'and'],
  ['&', 'expref'],
  ['<=', 'lte'],
  ['<', 'lt'],
  ['>=', 'gte'],
  ['>', 'gt'],
  ['!=', 'ne'],
  ['!', 'not'],
  ['==', 'eq'],
  ['.', 'dot'],
  ['*', 'star'],
  [',', 'comma'],
  [':', 'colon'],
  ['@', 'current'],
  ['(', 'lparen'],
  [')', 'rparen'],
  ['{', 'lbrace'],
  ['}', 'rbrace'],
]

const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y
const NUMBER = /-?[0-9]+/y
const SPACE = /[ \t\n\r]+/y

class Lexer {
  private readonly text: string
  private readonly isWide: boolean
  /** Position in UTF-16 units. */
  private at = 0

  constructor(text: string) {
    this.text = text
    this.isWide = hasWideChars(text)
  }

  tokens(): JmespathToken[] {
    const tokens: JmespathToken[] = []
    while (this.at < this.text.length) {
      if (this.take(SPACE) === undefined) tokens.push(this.next())
    }
    tokens.push({ type: 'eof', value: '', start: this.column(this.text.length) })
    return tokens
  }

  private next(): JmespathToken {
    const start = this.column(this.at)
    const name = this.take(IDENTIFIER)
    if (name !== undefined) return { type: 'unquoted_identifier', value: name, start }
    const digits = this.take(NUMBER)
    if (digits !== undefined) return { type: 'number', value: int(BigInt(digits)), start }
    const char = this.text[this.at]!
    if (char === "'") return { type: 'literal', value: this.until("'").replaceAll("\\'", "'"), start }
    if (char === '`') return { type: 'literal', value: this.literal(), start }
    if (char === '"') return { type: 'quoted_identifier', value: this.quotedName(), start }
    for (const [sign, type] of SIGNS) {
      if (!this.text.startsWith(sign, this.at)) continue
      this.at += sign.length
      return { type, value: sign, start }
    }
    throw this.unknown()
  }

  private unknown(): PyError {
    const char = String.fromCodePoint(this.text.codePointAt(this.at)!)
    return this.error(`Unknown token ${char === '=' || char === '-' ? `'${char}'` : char}`, this.at)
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  /** The text up to the closing mark, backslashes kept; moves behind it. */
  private until(mark: string): string {
    const start = this.at
    for (let end = start + 1; end < this.text.length; end++) {
      if (this.text[end] === '\\') end++
      else if (this.text[end] === mark) {
        this.at = end + 1
        return this.text.slice(start + 1, end)
      }
    }
    throw this.error(`Unclosed ${mark} delimiter`, start)
  }

  private literal(): Value {
    const start = this.at
    const text = this.until('`').replaceAll('\\`', '`')
    let parsed = tryLoads(text)
    if (parsed instanceof PyError) parsed = tryLoads(`"${text.trimStart()}"`)
    if (parsed instanceof PyError) throw this.error(`Bad token ${text}`, start)
    return parsed.value
  }

  private quotedName(): Value {
    const start = this.at
    const parsed = tryLoads(`"${this.until('"')}"`)
    if (parsed instanceof PyError) throw this.error(parsed.message.split(':')[0]!, start)
    return parsed.value
  }

  private column(units: number): number {
    return this.isWide ? textLength(this.text.slice(0, units)) : units
  }

  private error(message: string, at: number): PyError {
    const pointer = `${' '.repeat(this.column(at))}^`
    return new PyError('ValueError', `Bad jmespath expression: ${message}:\n${this.text}\n${pointer}`)
  }
}

function tryLoads(text: string): { value: Value } | PyError {
  try {
    return { value: loadJson(text) }
  } catch (error) {
    if (error instanceof PyError && error.code === 'JSONDecodeError') return error
    throw error
  }
}

export function jmespathTokens(expression: string): JmespathToken[] {
  return new Lexer(expression).tokens()
}
