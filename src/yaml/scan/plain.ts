// Plain scalars. In the block context only `: ` and ` #` end one, in the flow context the brackets and commas too; a
// line that is indented deeper goes on with it, its break folded to a space.
import { BLOCK_PLAIN_STOP, CLASS, FLOW_PLAIN_STOP, isBlank, isBlankz, isBreak, isWideBreak } from './chars.ts'
import type { Cursor } from './cursor.ts'

const CONTEXT = 'while scanning a plain scalar'

export interface PlainScalar {
  text: string
  /** Whether it ended after a line break, where a key is allowed. */
  endedOnNewLine: boolean
}

/** Scans from the cursor; a further line must reach column `indent`, outside of flow. */
export function scanPlain(cursor: Cursor, flow: boolean, indent: number): PlainScalar {
  const { text } = cursor
  const startLine = cursor.line
  const startColumn = cursor.column
  let folded = ''
  let joint = ''
  let onNewLine = false
  for (;;) {
    if (cursor.atDocumentMark() || text.charCodeAt(cursor.pos) === 35) break
    const from = cursor.pos
    const to = endOfLinePart(cursor, flow, startLine, startColumn)
    if (to > from) {
      folded = folded === '' && joint === '' ? text.slice(from, to) : folded + joint + text.slice(from, to)
      onNewLine = false
    }
    if (!isBreak(text.charCodeAt(cursor.pos))) break
    joint = skipBreaks(cursor, indent, startLine, startColumn)
    onNewLine = true
    if (!flow && cursor.column < indent) break
  }
  return { text: folded, endedOnNewLine: onNewLine }
}

/**
 * Move the cursor over the words of one line and the following blanks; return the end of the last word. The cursor
 * stops at the end of the scalar or at a line break.
 */
function endOfLinePart(cursor: Cursor, flow: boolean, startLine: number, startColumn: number): number {
  const { text } = cursor
  const stop = flow ? FLOW_PLAIN_STOP : BLOCK_PLAIN_STOP
  let pos = cursor.pos
  let end = pos
  for (;;) {
    const from = pos
    let c = text.charCodeAt(pos)
    for (;;) {
      while (c < 128 ? (CLASS[c]! & stop) === 0 : !isWideBreak(c)) c = text.charCodeAt(++pos)
      if (c !== 58) break
      const next = text.charCodeAt(pos + 1)
      if (flow && isFlowIndicator(next)) {
        cursor.moveTo(pos)
        cursor.fail(CONTEXT, startLine, startColumn, "found unexpected ':'")
      }
      if (isBlankz(next)) break
      c = text.charCodeAt(++pos)
    }
    if (pos > from) end = pos
    if (c !== 32 && c !== 9) break
    do c = text.charCodeAt(++pos)
    while (c === 32 || c === 9)
    // a comment, the end of the line, and an indicator all leave the blanks out of the scalar
    if (c === 35 || isBreak(c)) break
  }
  cursor.moveTo(pos)
  return end
}

/** `,` `?` `[` `]` `{` `}`: characters that may not follow a colon inside a plain scalar in flow. */
const isFlowIndicator = (c: number): boolean => c === 44 || c === 63 || c === 91 || c === 93 || c === 123 || c === 125

/** Skip the line break with following blanks and breaks; return the folded text. */
function skipBreaks(cursor: Cursor, indent: number, startLine: number, startColumn: number): string {
  const { text } = cursor
  let first = ''
  let rest = ''
  for (;;) {
    const c = text.charCodeAt(cursor.pos)
    if (isBlank(c)) {
      if (c === 9 && first !== '' && cursor.column < indent) {
        cursor.fail(CONTEXT, startLine, startColumn, 'found a tab character that violates indentation')
      }
      cursor.pos++
    } else if (isBreak(c)) {
      if (first === '') first = cursor.newLine()
      else rest += cursor.newLine()
    } else break
  }
  return fold(first, rest)
}

/** A single line feed is a space, further breaks stay; a line or paragraph separator is never folded. */
export function fold(first: string, rest: string): string {
  if (first === '\n') return rest === '' ? ' ' : rest
  return first + rest
}
