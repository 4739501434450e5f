// Literal (`|`) and folded (`>`) block scalars with their chomping and indentation indicators.
import { isBlank, isBreak, isBreakz, isDigit } from './chars.ts'
import type { Cursor } from './cursor.ts'

const CONTEXT = 'while scanning a block scalar'

interface Header {
  /** -1 strips the last line break, 1 keeps all of them. */
  chomping: -1 | 0 | 1
  /** The given indentation relative to the parent, 0 for none. */
  increment: number
}

/** Scans from the indicator; `parentIndent` is the column of the surrounding collection, -1 at the top. */
export function scanBlock(cursor: Cursor, parentIndent: number): string {
  const { text } = cursor
  const folding = text.charCodeAt(cursor.pos) === 62
  const line = cursor.line
  const column = cursor.column
  const { chomping, increment } = scanHeader(cursor, line, column)
  let indent = increment === 0 ? 0 : Math.max(parentIndent, 0) + increment
  let breaks = ''
  if (indent === 0) {
    const found = findIndent(cursor, parentIndent, line, column)
    indent = found.indent
    breaks = found.breaks
  } else breaks = passEmptyLines(cursor, indent, line, column)
  let out = ''
  let lineBreak = ''
  let lastIndented = false
  while (cursor.column === indent && text.charCodeAt(cursor.pos) !== 0) {
    const from = cursor.pos
    const indented = isBlank(text.charCodeAt(from))
    if (folding && lineBreak === '\n' && !lastIndented && !indented) out += breaks === '' ? ' ' : breaks
    else out += lineBreak + breaks
    lastIndented = indented
    let pos = from
    while (!isBreakz(text.charCodeAt(pos))) pos++
    out += text.slice(from, pos)
    cursor.moveTo(pos)
    lineBreak = isBreak(text.charCodeAt(pos)) ? cursor.newLine() : ''
    breaks = passEmptyLines(cursor, indent, line, column)
  }
  if (chomping !== -1) out += lineBreak
  return chomping === 1 ? out + breaks : out
}

function scanHeader(cursor: Cursor, line: number, column: number): Header {
  const { text } = cursor
  let chomping: Header['chomping'] = 0
  let increment = 0
  cursor.pos++
  for (let part = 0; part < 2; part++) {
    const c = text.charCodeAt(cursor.pos)
    if ((c === 43 || c === 45) && chomping === 0) chomping = c === 43 ? 1 : -1
    else if (isDigit(c) && increment === 0) {
      if (c === 48) cursor.fail(CONTEXT, line, column, 'found an indentation indicator equal to 0')
      increment = c - 48
    } else break
    cursor.pos++
  }
  cursor.skipBlanks()
  if (text.charCodeAt(cursor.pos) === 35) skipComment(cursor)
  const c = text.charCodeAt(cursor.pos)
  if (!isBreakz(c)) cursor.fail(CONTEXT, line, column, 'did not find expected comment or line break')
  if (isBreak(c)) cursor.newLine()
  return { chomping, increment }
}

/** Moves to the end of the line. */
export function skipComment(cursor: Cursor): void {
  let { pos } = cursor
  while (!isBreakz(cursor.text.charCodeAt(pos))) pos++
  cursor.moveTo(pos)
}

/** Passes the empty lines and the indentation of the next one. */
function passEmptyLines(cursor: Cursor, indent: number, line: number, column: number): string {
  const { text } = cursor
  let breaks = ''
  for (;;) {
    while (cursor.column < indent && text.charCodeAt(cursor.pos) === 32) cursor.pos++
    const c = text.charCodeAt(cursor.pos)
    if (c === 9 && cursor.column < indent) refuseTab(cursor, line, column)
    if (!isBreak(c)) return breaks
    breaks += cursor.newLine()
  }
}

/** Like passEmptyLines where no indentation is known: the deepest of these lines sets it. */
function findIndent(cursor: Cursor, parentIndent: number, line: number, column: number) {
  const { text } = cursor
  let breaks = ''
  let deepest = 0
  for (;;) {
    while (text.charCodeAt(cursor.pos) === 32) cursor.pos++
    deepest = Math.max(deepest, cursor.column)
    const c = text.charCodeAt(cursor.pos)
    if (c === 9) refuseTab(cursor, line, column)
    if (!isBreak(c)) break
    breaks += cursor.newLine()
  }
  return { breaks, indent: Math.max(deepest, parentIndent + 1, 1) }
}

function refuseTab(cursor: Cursor, line: number, column: number): never {
  cursor.fail(CONTEXT, line, column, 'found a tab character where an indentation space is expected')
}
