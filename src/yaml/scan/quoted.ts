// Scalars in single or double quotes: line breaks fold to spaces, adjacent blanks are removed; escapes in double
// quotes.
import { isBlank, isBreak, isHex } from './chars.ts'
import type { Cursor } from './cursor.ts'
import { fold } from './plain.ts'

const SCANNING = 'while scanning a quoted scalar'
const PARSING = 'while parsing a quoted scalar'

/** The characters of single-letter escapes. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['0', '\0'],
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['\t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['e', '\x1b'],
  [' ', ' '],
  ['"', '"'],
  ['/', '/'],
  ['\\', '\\'],
  ['N', '\x85'],
  ['_', '\xa0'],
  ['L', '\u2028'],
  ['P', '\u2029'],
])

/** Numeric escapes by letter, with their number of digits. */
const CODE_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
])

/** Scans from the opening quote to behind the closing one. */
export function scanQuoted(cursor: Cursor, quote: 39 | 34): string {
  const { text } = cursor
  const line = cursor.line
  const column = cursor.column
  let pos = ++cursor.pos
  let out = ''
  let from = pos
  for (;;) {
    const c = text.charCodeAt(pos)
    if (c === quote) {
      if (quote === 34 || text.charCodeAt(pos + 1) !== 39) break
      out += text.slice(from, pos + 1)
      pos += 2
      from = pos
    } else if (c === 92 && quote === 34) {
      out += text.slice(from, pos)
      cursor.moveTo(pos)
      out += isBreak(text.charCodeAt(pos + 1))
        ? escapedBreak(cursor, line, column)
        : escapeSequence(cursor, line, column)
      from = pos = cursor.pos
    } else if (c === 0) {
      cursor.moveTo(pos)
      cursor.fail(SCANNING, line, column, 'found unexpected end of stream')
    } else if (isBreak(c)) {
      let end = pos
      while (end > from && isBlank(text.charCodeAt(end - 1))) end--
      out += text.slice(from, end)
      cursor.moveTo(pos)
      const first = cursor.newLine()
      out += fold(first, furtherBreaks(cursor, line, column))
      from = pos = cursor.pos
    } else pos++
  }
  const value = out === '' ? text.slice(from, pos) : out + text.slice(from, pos)
  cursor.moveTo(pos + 1)
  return value
}

/** The breaks of the empty lines here; passes the indentation and looks out for a document mark behind it. */
function furtherBreaks(cursor: Cursor, line: number, column: number): string {
  let breaks = ''
  for (;;) {
    cursor.skipBlanks()
    if (!isBreak(cursor.text.charCodeAt(cursor.pos))) break
    breaks += cursor.newLine()
  }
  if (cursor.atDocumentMark()) cursor.fail(SCANNING, line, column, 'found unexpected document indicator')
  return breaks
}

/** A break behind a backslash is gone, and so is the indentation of the next line. */
function escapedBreak(cursor: Cursor, line: number, column: number): string {
  cursor.pos++
  cursor.newLine()
  return furtherBreaks(cursor, line, column)
}

function escapeSequence(cursor: Cursor, line: number, column: number): string {
  const { text } = cursor
  const name = text.charAt(cursor.pos + 1)
  const simple = ESCAPES.get(name)
  if (simple !== undefined) {
    cursor.pos += 2
    return simple
  }
  const length = CODE_LENGTHS.get(name)
  if (length === undefined) cursor.fail(PARSING, line, column, 'found unknown escape character')
  cursor.pos += 2
  for (let k = 0; k < length; k++) {
    if (!isHex(text.charCodeAt(cursor.pos + k))) {
      cursor.fail(PARSING, line, column, 'did not find expected hexdecimal number')
    }
  }
  const code = Number.parseInt(text.slice(cursor.pos, cursor.pos + length), 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    cursor.fail(PARSING, line, column, 'found invalid Unicode character escape code')
  }
  cursor.pos += length
  return String.fromCodePoint(code)
}
