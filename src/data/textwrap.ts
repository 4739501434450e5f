// Python's `textwrap.wrap` without its whitespace clean-up, which is how Jinja's `wordwrap` calls it.
import { valueError } from './errors.ts'
import { hasWideChars, textLength } from './protocol.ts'
import { strip, WORD } from './text.ts'

/** textwrap breaks at these only; a no-break space or an ideographic space is part of a word. */
const BLANK = '\\t\\n\\v\\f\\r\\x20'
const LETTER = '[\\p{L}\\p{Nl}\\p{No}_]'
const INNER = `[${WORD}!"'&.,?]`

const SIMPLE = new RegExp(`[${BLANK}]+`, 'gu')

/** Runs of blanks, dashes between words, and words up to a hyphen with letters on both sides. */
const PIECES =
  `[${BLANK}]+` +
  `|(?<=${INNER})-{2,}(?=[${WORD}])` +
  `|[^${BLANK}]+?(?:-(?:(?<=${LETTER}{2}-)|(?<=${LETTER}-${INNER}-))(?=${LETTER}-?${LETTER})` +
  `|(?=[${BLANK}]|$)|(?<=${INNER})(?=-{2,}[${WORD}]))`

export interface WrapOptions {
  width: number
  breakLongWords: boolean
  breakOnHyphens: boolean
}

function pieces(text: string, onHyphens: boolean): string[] {
  if (onHyphens) return text.match(new RegExp(PIECES, 'gu')) ?? []
  const parts: string[] = []
  let at = 0
  for (const match of text.matchAll(SIMPLE)) {
    if (match.index > at) parts.push(text.slice(at, match.index))
    parts.push(match[0])
    at = match.index + match[0].length
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}

/** Parts a word that is longer than a line: behind its last hyphen that still fits, else at the edge. */
function cutWord(word: string, room: number, onHyphens: boolean): [head: string, tail: string] {
  const edge = hasWideChars(word) ? [...word].slice(0, room).join('').length : room
  let end = edge
  if (onHyphens && word.length > edge) {
    const hyphen = word.slice(0, edge).lastIndexOf('-')
    if (hyphen > 0 && /[^-]/.test(word.slice(0, hyphen))) end = hyphen + 1
  }
  return [word.slice(0, end), word.slice(end)]
}

/** The lines, none longer than the width unless a word is and must not be broken. */
export function wrapText(text: string, { width, breakLongWords, breakOnHyphens }: WrapOptions): string[] {
  if (width <= 0) throw valueError(`invalid width ${width} (must be > 0)`)
  const rest = pieces(text, breakOnHyphens).reverse()
  const lines: string[] = []
  while (rest.length > 0) {
    if (lines.length > 0 && isBlank(rest.at(-1)!)) rest.pop()
    const line: string[] = []
    let used = 0
    while (rest.length > 0) {
      const size = textLength(rest.at(-1)!)
      if (used + size > width) break
      line.push(rest.pop()!)
      used += size
    }
    const next = rest.at(-1)
    if (next !== undefined && textLength(next) > width) {
      if (breakLongWords) {
        const [head, tail] = cutWord(next, width - used, breakOnHyphens)
        line.push(head)
        rest[rest.length - 1] = tail
      } else if (line.length === 0) line.push(rest.pop()!)
    }
    if (line.length > 0 && isBlank(line.at(-1)!)) line.pop()
    if (line.length > 0) lines.push(line.join(''))
  }
  return lines
}

const isBlank = (piece: string): boolean => strip(piece) === ''
