// Template text → tokens. Delimiters, whitespace control, line statements and raw blocks follow Jinja 3.1's rules,
// which decide every blank in the output.
import { int, isAscii, quote, type Value } from '../data/mod.ts'
import { JinjaError } from './errors.ts'
import { type Delimiters, delimitersKey } from './options.ts'
import { unescapeString } from './string-literal.ts'

export type TokenType =
  | 'data'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'block_begin'
  | 'block_end'
  | 'variable_begin'
  | 'variable_end'
  | 'eof'
  /** Text that cannot be read; an error only if the parser gets this far. */
  | 'error'
  | OperatorType

type OperatorType = (typeof OPERATORS)[keyof typeof OPERATORS]

export const OPERATORS = {
  '//': 'floordiv',
  '**': 'pow',
  '==': 'eq',
  '!=': 'ne',
  '>=': 'gteq',
  '<=': 'lteq',
  '+': 'add',
  '-': 'sub',
  '/': 'div',
  '*': 'mul',
  '%': 'mod',
  '~': 'tilde',
  '[': 'lbracket',
  ']': 'rbracket',
  '(': 'lparen',
  ')': 'rparen',
  '{': 'lbrace',
  '}': 'rbrace',
  '>': 'gt',
  '<': 'lt',
  '=': 'assign',
  '.': 'dot',
  ':': 'colon',
  '|': 'pipe',
  ',': 'comma',
  ';': 'semicolon',
} as const

export interface JinjaToken {
  type: TokenType
  /** The text of a name, data or operator; the value of a literal. */
  value: string | number | bigint | Value | JinjaError
  line: number
}

const CLOSERS: Record<string, string> = { '{': '}', '(': ')', '[': ']' }

/** Return one expression for all tokens inside a tag, in Jinja's order; `name` is the pattern of names. */
const tagToken = (name: string): string =>
  [
    '(?<space>\\s+)',
    '(?<float>(?<!\\.)(?:\\d+_)*\\d+(?:(?:\\.(?:\\d+_)*\\d+)?[eE][+\\-]?(?:\\d+_)*\\d+|\\.(?:\\d+_)*\\d+))',
    '(?<integer>0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[\\da-fA-F])+|[1-9](?:_?\\d)*|0(?:_?0)*)',
    `(?<name>${name})`,
    `(?<string>'(?:[^'\\\\]|\\\\[^])*'|"(?:[^"\\\\]|\\\\[^])*")`,
    '(?<operator>//|\\*\\*|==|!=|>=|<=|[-+/*%~\\[\\](){}><=.:|,;])',
  ].join('|')

const ASCII = { token: new RegExp(tagToken('\\w+'), 'y'), identifier: /^[A-Za-z_]\w*$/ }
let allScripts: typeof ASCII | undefined

function alphabetOf(source: string): typeof ASCII {
  if (isAscii(source)) return ASCII
  allScripts ??= {
    token: new RegExp(tagToken('[\\p{L}\\p{N}\\p{M}\\p{Pc}]+'), 'uy'),
    identifier: /^[\p{ID_Start}_][\p{ID_Continue}]*$/u,
  }
  return allScripts
}

interface Rules {
  root: RegExp
  names: string[]
  commentEnd: RegExp
  blockEnd: RegExp
  variableEnd: RegExp
  rawEnd: RegExp
}

const ruleCache = new Map<string, Rules>()

const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

function rulesFor(options: Delimiters): Rules {
  const key = delimitersKey(options)
  let rules = ruleCache.get(key)
  if (!rules) ruleCache.set(key, (rules = buildRules(options)))
  return rules
}

function buildRules(options: Delimiters): Rules {
  const blockStart = escapeRegex(options.block_start_string)
  const blockEnd = escapeRegex(options.block_end_string)
  const commentEnd = escapeRegex(options.comment_end_string)
  const variableEnd = escapeRegex(options.variable_end_string)
  const suffix = options.trim_blocks ? '\\n?' : ''
  // the longest delimiter is tried first, so that `<%=` wins over `<%`
  const starts: Array<[number, string, string]> = [
    [options.comment_start_string.length, 'comment', escapeRegex(options.comment_start_string)],
    [options.block_start_string.length, 'block', blockStart],
    [options.variable_start_string.length, 'variable', escapeRegex(options.variable_start_string)],
  ]
  if (options.line_statement_prefix) {
    const prefix = options.line_statement_prefix
    starts.push([prefix.length, 'linestatement', `^[ \\t\\v]*${escapeRegex(prefix)}`])
  }
  if (options.line_comment_prefix) {
    const prefix = options.line_comment_prefix
    starts.push([prefix.length, 'linecomment', `(?:^|(?<=\\S))[^\\S\\r\\n]*${escapeRegex(prefix)}`])
  }
  starts.sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? 1 : -1))
  const raw = `(?<raw>${blockStart}(?<rawSign>[-+]?)\\s*raw\\s*(?:-${blockEnd}\\s*|${blockEnd}))`
  const parts = starts.map(([, name, pattern]) => `(?<${name}>${pattern}(?<${name}Sign>[-+]?))`)
  const ending = `(?:\\+${blockEnd}|-${blockEnd}\\s*|${blockEnd}${suffix})`
  return {
    root: new RegExp([raw, ...parts].join('|'), 'gm'),
    names: ['raw', ...starts.map(([, name]) => name)],
    commentEnd: new RegExp(`\\+${commentEnd}|-${commentEnd}\\s*|${commentEnd}${suffix}`, 'g'),
    blockEnd: new RegExp(ending, 'y'),
    variableEnd: new RegExp(`-${variableEnd}\\s*|${variableEnd}`, 'y'),
    rawEnd: new RegExp(`${blockStart}(?<sign>[-+]?)\\s*endraw\\s*${ending}`, 'g'),
  }
}

/** Removes the final newline unless it is to be kept, and makes every line break a `\n`. */
function normalizeSource(source: string, keepTrailingNewline: boolean): string {
  const text = source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source
  return !keepTrailingNewline && text.endsWith('\n') ? text.slice(0, -1) : text
}

function countNewlines(text: string, from = 0, to = text.length): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++
  return count
}

const BLANK = /[\s\x1c-\x1f\x85]/

function rstrip(text: string): string {
  let end = text.length
  while (end > 0 && BLANK.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

export function tokenize(source: string, options: Delimiters): JinjaToken[] {
  return new Lexer(source, options).run()
}

class Lexer {
  private readonly source: string
  private readonly options: Delimiters
  private readonly rules: Rules
  private readonly alphabet: typeof ASCII
  private readonly tokens: JinjaToken[] = []
  private pos = 0
  private line = 1
  private lineStarting = true

  constructor(source: string, options: Delimiters) {
    this.source = normalizeSource(source, options.keep_trailing_newline)
    this.options = options
    this.rules = rulesFor(options)
    this.alphabet = alphabetOf(this.source)
  }

  run(): JinjaToken[] {
    try {
      this.scan()
    } catch (error) {
      if (!(error instanceof JinjaError)) throw error
      this.push('error', error)
    }
    return this.tokens
  }

  private scan(): void {
    const { root } = this.rules
    while (this.pos < this.source.length) {
      root.lastIndex = this.pos
      const match = root.exec(this.source)
      if (!match) {
        this.data(this.source.slice(this.pos))
        break
      }
      this.begin(match)
    }
    // the end counts as standing on the line of the last token
    this.tokens.push({ type: 'eof', value: '', line: this.tokens.at(-1)?.line ?? 1 })
  }

  private fail(message: string): never {
    throw new JinjaError('TemplateSyntaxError', message, { at: { line: this.line } })
  }

  private push(type: TokenType, value: JinjaToken['value']): void {
    this.tokens.push({ type, value, line: this.line })
  }

  /** Emits text between tags; `stripped` newlines were cut from its end and still count for line numbers. */
  private data(text: string, stripped = 0): void {
    if (text) {
      const { newline_sequence } = this.options
      this.push('data', newline_sequence === '\n' ? text : text.replaceAll('\n', newline_sequence))
    }
    this.line += countNewlines(text) + stripped
  }

  /** Text before a tag, cut as the tag's sign and lstrip_blocks ask. */
  private textBefore(text: string, sign: string, isVariable: boolean): void {
    if (sign === '-') {
      const kept = rstrip(text)
      this.data(kept, countNewlines(text, kept.length))
    } else if (sign !== '+' && this.options.lstrip_blocks && !isVariable) {
      const lineStart = text.lastIndexOf('\n') + 1
      const onlyBlank = lineStart < text.length && /^\s+$/.test(text.slice(lineStart))
      this.data((lineStart > 0 || this.lineStarting) && onlyBlank ? text.slice(0, lineStart) : text)
    } else this.data(text)
  }

  private advance(text: string, to: number): void {
    this.line += countNewlines(text)
    this.lineStarting = text.endsWith('\n')
    this.pos = to
  }

  private begin(match: RegExpExecArray): void {
    const groups = match.groups!
    const name = this.rules.names.find((candidate) => groups[candidate] !== undefined)!
    this.textBefore(this.source.slice(this.pos, match.index), groups[`${name}Sign`]!, name === 'variable')
    const end = match.index + match[0].length
    if (name === 'block' || name === 'variable') this.push(`${name}_begin`, match[0])
    else if (name === 'linestatement') this.push('block_begin', match[0])
    this.advance(match[0], end)
    switch (name) {
      case 'comment':
        return this.comment()
      case 'raw':
        return this.raw()
      case 'linecomment':
        return this.lineComment()
      default:
        return this.tag(name as 'block' | 'variable' | 'linestatement')
    }
  }

  private comment(): void {
    const { commentEnd } = this.rules
    commentEnd.lastIndex = this.pos
    const match = commentEnd.exec(this.source)
    if (!match) {
      // nothing after the opening is simply the end of the template
      if (this.pos >= this.source.length) return
      this.fail('Missing end of comment tag')
    }
    this.line += countNewlines(this.source, this.pos, match.index)
    this.advance(match[0], match.index + match[0].length)
  }

  private raw(): void {
    const { rawEnd } = this.rules
    rawEnd.lastIndex = this.pos
    const match = rawEnd.exec(this.source)
    if (!match) {
      if (this.pos >= this.source.length) return
      this.fail('Missing end of raw directive')
    }
    this.textBefore(this.source.slice(this.pos, match.index), match.groups!['sign']!, false)
    this.advance(match[0], match.index + match[0].length)
  }

  private lineComment(): void {
    const end = this.source.indexOf('\n', this.pos)
    this.pos = end < 0 ? this.source.length : end
    this.lineStarting = false
  }

  private endOf(kind: 'block' | 'variable' | 'linestatement'): RegExp {
    if (kind === 'linestatement') return LINE_END
    return kind === 'block' ? this.rules.blockEnd : this.rules.variableEnd
  }

  private tag(kind: 'block' | 'variable' | 'linestatement'): void {
    const end = this.endOf(kind)
    const open: string[] = []
    while (this.pos < this.source.length || kind === 'linestatement') {
      if (open.length === 0) {
        end.lastIndex = this.pos
        const match = end.exec(this.source)
        if (match) {
          this.push(kind === 'variable' ? 'variable_end' : 'block_end', match[0])
          this.advance(match[0], this.pos + match[0].length)
          return
        }
      }
      if (this.pos >= this.source.length) return
      this.tagToken(open)
    }
  }

  private tagToken(open: string[]): void {
    const { token } = this.alphabet
    token.lastIndex = this.pos
    const match = token.exec(this.source)
    if (!match) {
      const char = String.fromCodePoint(this.source.codePointAt(this.pos)!)
      this.fail(`unexpected char ${quote(char)} at ${this.pos}`)
    }
    const text = match[0]
    const groups = match.groups!
    if (groups['space'] === undefined) this.literal(text, groups, open)
    this.advance(text, this.pos + text.length)
  }

  private literal(text: string, groups: Record<string, string>, open: string[]): void {
    if (groups['name'] !== undefined) {
      if (!this.alphabet.identifier.test(text)) this.fail('Invalid character in identifier')
      this.push('name', text.normalize('NFKC'))
    } else if (groups['operator'] !== undefined) {
      this.balance(text, open)
      this.push(OPERATORS[text as keyof typeof OPERATORS], text)
    } else if (groups['string'] !== undefined) {
      const { newline_sequence } = this.options
      const body = text.slice(1, -1)
      const normal = newline_sequence === '\n' ? body : body.replaceAll('\n', newline_sequence)
      this.push(
        'string',
        unescapeString(normal, (message) => this.fail(message)),
      )
    } else if (groups['float'] !== undefined) this.push('float', Number(text.replaceAll('_', '')))
    else this.push('integer', int(BigInt(text.replaceAll('_', '').replace(/^0+(?=\d)/, ''))))
  }

  private balance(operator: string, open: string[]): void {
    const closer = CLOSERS[operator]
    if (closer) open.push(closer)
    else if (operator === '}' || operator === ')' || operator === ']') {
      const expected = open.pop()
      if (expected === undefined) this.fail(`unexpected '${operator}'`)
      if (expected !== operator) this.fail(`unexpected '${operator}', expected '${expected}'`)
    }
  }
}

const LINE_END = /\s*(?:\n|$)/my
