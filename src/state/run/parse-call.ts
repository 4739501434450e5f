// A function call written as text, `module.function(arg, key=value)`: words, quotes and balanced brackets. All arguments
// are text.
import type { Value } from '../../data/mod.ts'

export interface ParsedCall {
  fun: string
  args: Value[]
  kwargs: Map<string, Value>
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')' }

export function parseCall(text: string): ParsedCall | undefined {
  const tokens = tokensOf(text)
  const open = tokens.indexOf('(')
  if (open < 1) return undefined
  const call: ParsedCall = { fun: tokens.slice(0, open).join(''), args: [], kwargs: new Map() }
  const brackets: string[] = []
  let word: string[] = []
  let key: string | undefined
  for (const token of tokens.slice(open + 1)) {
    if (token in CLOSING) {
      word.push(token)
      brackets.push(token)
    } else if ((token === ',' || token === ')') && brackets.length === 0) {
      if (key) call.kwargs.set(key, word.join(''))
      else if (word.length > 0) call.args.push(word.join(''))
      if (token === ')') return call
      key = undefined
      word = []
    } else if (token === ']' || token === '}' || token === ')') {
      const opening = brackets.pop()
      if (opening === undefined || CLOSING[opening] !== token) return undefined
      word.push(token)
    } else if (token === '=' && brackets.length === 0) {
      key = word.join('')
      word = []
    } else word.push(token)
  }
  return undefined
}

const WORD = /[\p{L}\p{N}_]/u

/** Words, quoted texts without their quotes, and single marks; blanks part and a number sign begins a comment. */
function tokensOf(text: string): string[] {
  const tokens: string[] = []
  let word = ''
  let quoted = false
  const flush = (): void => {
    if (word !== '' || quoted) tokens.push(word)
    word = ''
    quoted = false
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (char === '"' || char === "'") {
      const end = closingQuote(text, at)
      if (end < 0) return []
      word += text.slice(at + 1, end).replace(/\\(["'\\])/g, '$1')
      quoted = true
      at = end
    } else if (char === '\\' && at + 1 < text.length) word += text[++at]
    else if (WORD.test(char)) word += char
    else {
      flush()
      if (char === '#') {
        const end = text.indexOf('\n', at)
        if (end < 0) return tokens
        at = end
      } else if (!/\s/.test(char)) tokens.push(char)
    }
  }
  flush()
  return tokens
}

function closingQuote(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  return -1
}
