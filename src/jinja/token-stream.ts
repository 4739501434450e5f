// The parser's view of the tokens: one is current, the next can be peeked at.
import { quote } from '../data/mod.ts'
import { JinjaError } from './errors.ts'
import { type JinjaToken, OPERATORS, type TokenType } from './lexer.ts'

/** An expected token: a type, or `name:word`. */
export type TokenTest = TokenType | `name:${string}`

const DESCRIPTIONS: Partial<Record<string, string>> = {
  block_begin: 'begin of statement block',
  block_end: 'end of statement block',
  variable_begin: 'begin of print statement',
  variable_end: 'end of print statement',
  data: 'template data / text',
  eof: 'end of template',
  ...Object.fromEntries(Object.entries(OPERATORS).map(([text, type]) => [type, text])),
}

export function describeToken(token: JinjaToken): string {
  return token.type === 'name' ? String(token.value) : (DESCRIPTIONS[token.type] ?? token.type)
}

export function describeTest(test: TokenTest): string {
  return test.startsWith('name:') ? test.slice(5) : (DESCRIPTIONS[test] ?? test)
}

/** Throw the error of an unreadable token when the parser reaches it, after earlier errors. */
function readable(token: JinjaToken): JinjaToken {
  if (token.type === 'error') throw token.value
  return token
}

export class TokenStream {
  private readonly tokens: JinjaToken[]
  private at = 0

  constructor(tokens: JinjaToken[]) {
    this.tokens = tokens
    readable(tokens[0]!)
  }

  get current(): JinjaToken {
    return this.tokens[this.at]!
  }

  /** The token after the current one. */
  get ahead(): JinjaToken {
    return readable(this.tokens[Math.min(this.at + 1, this.tokens.length - 1)]!)
  }

  /** Gives the current token and moves on; the last one stays. */
  next(): JinjaToken {
    const token = this.current
    if (this.at < this.tokens.length - 1) this.at++
    readable(this.current)
    return token
  }

  is(test: TokenTest, token: JinjaToken = this.current): boolean {
    if (token.type === test) return true
    return token.type === 'name' && test.startsWith('name:') && test.slice(5) === token.value
  }

  isAny(tests: readonly TokenTest[]): boolean {
    return tests.some((test) => this.is(test))
  }

  skipIf(test: TokenTest): boolean {
    const found = this.is(test)
    if (found) this.next()
    return found
  }

  expect(test: TokenTest): JinjaToken {
    if (this.is(test)) return this.next()
    const { current } = this
    const wanted = quote(describeTest(test))
    const message =
      current.type === 'eof'
        ? `unexpected end of template, expected ${wanted}.`
        : `expected token ${wanted}, got ${quote(describeToken(current))}`
    throw new JinjaError('TemplateSyntaxError', message, { at: { line: current.line } })
  }

  expectName(): string {
    return this.expect('name').value as string
  }
}
