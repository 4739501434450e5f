// Python's definitions of characters where JavaScript's differ: spaces, line ends, word characters and cased letters.
import { hasWideChars, textLength } from './protocol.ts'

/** `str.isspace` and `\s`, for use inside a character class. */
export const SPACE = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

/** `\w` of Python's regular expressions, for use inside a character class; combining marks are no part of it. */
export const WORD = '\\p{L}\\p{N}_'

/** A pattern over letters of all scripts takes milliseconds to compile; ASCII text does not need it. */
export const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

const LINE = /[^\n\v\f\r\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]|$)/g
/** Line ends other than a newline. */
const OTHER_END = /[\v\f\r\x1c-\x1e\x85\u2028\u2029]/
const LINE_END = /(?:\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])$/

/** `str.splitlines`. */
export function splitLines(text: string, keepEnds = false): string[] {
  if (!keepEnds && !OTHER_END.test(text)) {
    const plain = text.split('\n')
    if (plain.at(-1) === '') plain.pop()
    return plain
  }
  const lines = text.match(LINE)!
  if (lines.at(-1) === '') lines.pop()
  return keepEnds ? lines : lines.map((line) => line.replace(LINE_END, ''))
}

const SPACES: ReadonlySet<string> = new Set(
  '\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a' +
    '\u2028\u2029\u202f\u205f\u3000',
)

/** `str.strip`: spaces, or any of the given characters. */
export function strip(text: string, chars?: string): string {
  const unwanted = chars === undefined ? SPACES : new Set(chars)
  const units = hasWideChars(text) ? [...text] : text
  let start = 0
  let end = units.length
  while (start < end && unwanted.has(units[start]!)) start++
  while (end > start && unwanted.has(units[end - 1]!)) end--
  return typeof units === 'string' ? units.slice(start, end) : units.slice(start, end).join('')
}

/** `str.split()`: the words between runs of spaces. */
export function splitWords(text: string): string[] {
  return text.match(WORDS) ?? []
}

const WORDS = new RegExp(`[^${SPACE}]+`, 'g')

/** `str.center`; an odd column goes to the left only when the width itself is odd. */
export function center(text: string, width: number, fill = ' '): string {
  const room = width - textLength(text)
  if (room <= 0) return text
  const left = Math.floor(room / 2) + (room & width & 1)
  return fill.repeat(left) + text + fill.repeat(room - left)
}

/** Digraphs have a third, titlecase form. */
const DIGRAPHS = ['Ǆǅǆ', 'Ǉǈǉ', 'Ǌǋǌ', 'Ǳǲǳ']

/** The title case of one character. */
export function titleCase(char: string): string {
  const digraph = DIGRAPHS.find((forms) => forms.includes(char))
  if (digraph !== undefined) return digraph[1]!
  // Georgian capitals serve all-capitals text only; this letter's capital is two
  if (/[\u10d0-\u10ff]/.test(char)) return char
  if (char === 'ŉ') return char.toUpperCase()
  const parts = char.normalize('NFD')
  if (parts.length > 1 && parts.includes('\u0345')) {
    return (parts[0]!.toUpperCase() + parts.slice(1)).normalize('NFC')
  }
  const upper = char.toUpperCase()
  const first = String.fromCodePoint(upper.codePointAt(0)!)
  return first + upper.slice(first.length).toLowerCase()
}

const CASED = /[\p{Lowercase}\p{Uppercase}\p{Lt}]/u

/** `str.title`: a letter after anything that has no case is a capital. */
export function title(text: string): string {
  // lowered as a whole, because the form of a final sigma depends on its neighbours
  const lowered = text.toLowerCase()
  let out = ''
  let at = 0
  let inWord = false
  for (const char of text) {
    const length = char.toLowerCase().length
    out += inWord ? lowered.slice(at, at + length) : titleCase(char)
    at += length
    inWord = CASED.test(char)
  }
  return out
}

/** `str.capitalize`. */
export function capitalize(text: string): string {
  if (text === '') return ''
  const first = String.fromCodePoint(text.codePointAt(0)!)
  // convert the whole text, because the form of a final sigma depends on the preceding characters
  return titleCase(first) + text.toLowerCase().slice(first.toLowerCase().length)
}

/** `str.islower`: some letter has a case, and none is upper or title case. */
export function isLower(text: string): boolean {
  return /\p{Lowercase}/u.test(text) && !/[\p{Uppercase}\p{Lt}]/u.test(text)
}

/** `str.isupper`. */
export function isUpper(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && !/[\p{Lowercase}\p{Lt}]/u.test(text)
}

/** `str.replace`; a negative count replaces all. */
export function replaceText(text: string, old: string, replacement: string, count = -1): string {
  const most = count < 0 ? Number.POSITIVE_INFINITY : count
  if (most === 0) return text
  if (old === '') return insertBetween(text, replacement, most)
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(old); at >= 0 && parts.length < most; at = text.indexOf(old, from)) {
    parts.push(text.slice(from, at))
    from = at + old.length
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)].join(replacement)
}

/** Replacing an empty text inserts before every character and at the end. */
function insertBetween(text: string, inserted: string, most: number): string {
  const chars = [...text]
  const head = chars.slice(0, most).map((char) => inserted + char)
  if (most > chars.length) return head.join('') + inserted
  return head.join('') + chars.slice(most).join('')
}
