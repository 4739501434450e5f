// The text of a pattern, read in tokens: a character, or an escape. Positions count code points, as in Python's
// messages.
import { PyError } from '../errors.ts'
import { quote } from '../repr.ts'

const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u

export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name)

/** A `re.error` with its position, as Python words it. */
export function regexError(message: string, pattern?: readonly string[], position = 0): PyError {
  if (pattern === undefined) return new PyError('re.error', message)
  let text = `${message} at position ${position}`
  if (pattern.includes('\n')) {
    const before = pattern.slice(0, Math.max(0, position))
    const line = before.filter((char) => char === '\n').length + 1
    text += ` (line ${line}, column ${position - before.lastIndexOf('\n')})`
  }
  return new PyError('re.error', text)
}

export class PatternSource {
  /** The token to come; undefined at the end. */
  next: string | undefined
  readonly chars: readonly string[]
  private index = 0

  constructor(text: string) {
    this.chars = Array.from(text)
    this.advance()
  }

  private advance(): void {
    let token = this.chars[this.index]
    if (token === '\\') {
      const escaped = this.chars[this.index + 1]
      if (escaped === undefined) {
        throw regexError('bad escape (end of pattern)', this.chars, this.chars.length - 1)
      }
      token += escaped
      this.index++
    }
    if (token !== undefined) this.index++
    this.next = token
  }

  /** Start of the next token. */
  get position(): number {
    return this.index - tokenLength(this.next)
  }

  get(): string | undefined {
    const token = this.next
    this.advance()
    return token
  }

  /** Takes the token if it is the given one. */
  match(token: string): boolean {
    if (this.next !== token) return false
    this.advance()
    return true
  }

  seek(position: number): void {
    this.index = position
    this.advance()
  }

  /** Up to `most` characters that are all in the class. */
  getWhile(most: number, wanted: RegExp): string {
    let found = ''
    while (found.length < most && this.next !== undefined && wanted.test(this.next)) found += this.get()
    return found
  }

  /** The text up to the terminator, which is taken too. */
  getUntil(terminator: string, what: string): string {
    let found = ''
    for (;;) {
      const token = this.get()
      if (token === undefined) {
        if (found === '') throw this.error(`missing ${what}`)
        throw this.error(`missing ${terminator}, unterminated name`, lengthOf(found))
      }
      if (token === terminator) {
        if (found === '') throw this.error(`missing ${what}`, 1)
        return found
      }
      found += token
    }
  }

  assertGroupName(name: string): void {
    if (isIdentifier(name)) return
    throw this.error(`bad character in group name ${quote(name)}`, lengthOf(name) + 1)
  }

  /** Return an error this many characters before the next token. */
  error(message: string, back = 0): PyError {
    return regexError(message, this.chars, this.position - back)
  }

  /** An error at a place remembered from before. */
  errorAt(message: string, position: number): PyError {
    return regexError(message, this.chars, position)
  }
}

const tokenLength = (token: string | undefined): number => {
  if (token === undefined) return 0
  return token.startsWith('\\') ? 2 : 1
}

/** The length in code points. */
export function lengthOf(text: string): number {
  return Array.from(text).length
}
