// Writes scalars like libyaml, which breaks long lines at the first space past the width. All unescaped characters are
// in the basic plane, so a string's length is its width.
import { LIBYAML } from './analyze.ts'
import { escapeCharacter } from './escapes.ts'
import type { Writer } from './writer.ts'

const { isBreak, isPrintable } = LIBYAML

const RUNS = / +|[^ ]+/g
const QUOTED_RUNS = / +|[\n\r\x85\u2028\u2029]|'|[^ \n\r\x85\u2028\u2029']+/g
const BREAK = /[\n\r\x85\u2028\u2029]/

/** Plain text never holds a line break. `spaced` writes a space even before an empty text. */
export function writePlain(writer: Writer, text: string, mayBreak: boolean, spaced: boolean): void {
  if (!writer.whitespace && (text !== '' || spaced)) writer.put(' ')
  if (!mayBreak || writer.column + text.length <= writer.width) writer.put(text)
  else {
    for (const [run] of text.matchAll(RUNS)) {
      if (run === ' ' && writer.column > writer.width) writer.writeIndent()
      else putRun(writer, run)
    }
  }
  writer.endContent()
}

function putRun(writer: Writer, run: string): void {
  writer.put(run)
  if (run[0] !== ' ') writer.indention = false
}

/** A line break is doubled, as reading folds the first of a row. */
export function writeSingleQuoted(writer: Writer, text: string, mayBreak: boolean): void {
  writer.writeIndicator("'", true)
  const doubled = text.replaceAll("'", "''")
  const fits = !mayBreak || writer.column + doubled.length <= writer.width
  if (fits && !BREAK.test(text)) writer.put(doubled)
  else writeQuotedRuns(writer, text, mayBreak)
  writer.writeIndicator("'", false)
  writer.endContent()
}

function writeQuotedRuns(writer: Writer, text: string, mayBreak: boolean): void {
  let breaks = false
  for (const { 0: run, index } of text.matchAll(QUOTED_RUNS)) {
    const inside = index > 0 && index < text.length - 1
    if (run[0] === ' ') {
      if (run === ' ' && mayBreak && inside && writer.column > writer.width) writer.writeIndent()
      else writer.put(run)
    } else if (BREAK.test(run)) {
      if (!breaks && run === '\n') writer.putBreak()
      writer.putBreak(run)
      writer.indention = true
      breaks = true
    } else {
      if (breaks) writer.writeIndent()
      breaks = false
      putRun(writer, run === "'" ? "''" : run)
    }
  }
  if (breaks) writer.writeIndent()
}

/** A space that is broken at is lost in reading; a second one behind it is kept by a backslash. */
export function writeDoubleQuoted(writer: Writer, text: string, mayBreak: boolean, unicode: boolean): void {
  writer.writeIndicator('"', true)
  let afterSpace = false
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i)!
    if (code === 32) {
      const inside = i > 0 && i < text.length - 1
      if (mayBreak && !afterSpace && inside && writer.column > writer.width) {
        writer.indention = false
        writer.writeIndent()
        if (text[i + 1] === ' ') writer.put('\\')
      } else writer.put(' ')
      afterSpace = true
      continue
    }
    afterSpace = false
    if (isRaw(code, unicode)) writer.put(text[i]!)
    else {
      writer.put(escapeCharacter(code))
      if (code > 0xffff) i++
    }
  }
  writer.writeIndicator('"', false)
  writer.endContent()
}

function isRaw(code: number, unicode: boolean): boolean {
  if (code === 0x22 || code === 0x5c) return false
  if (code <= 0x7e) return code >= 0x20
  return unicode && isPrintable(code) && !isBreak(code)
}

export function writeLiteral(writer: Writer, text: string): void {
  let breaks = true
  for (const { 0: run } of text.matchAll(LINES)) {
    if (BREAK.test(run)) {
      writer.putBreak(run)
      writer.indention = true
      breaks = true
    } else {
      if (breaks) writer.writeIndent()
      breaks = false
      putRun(writer, run)
      writer.indention = false
    }
  }
}

const LINES = /[\n\r\x85\u2028\u2029]|[^\n\r\x85\u2028\u2029]+/g
const FOLDED_RUNS = / +|[\n\r\x85\u2028\u2029]|[^ \n\r\x85\u2028\u2029]+/g

/** Between two lines that are not indented a further break is written, as reading folds one. */
export function writeFolded(writer: Writer, text: string): void {
  let breaks = true
  let indented = true
  for (const { 0: run, index } of text.matchAll(FOLDED_RUNS)) {
    if (BREAK.test(run)) {
      if (!breaks && !indented && run === '\n' && !isBlankAfterBreaks(text, index)) writer.putBreak()
      writer.putBreak(run)
      writer.indention = true
      breaks = true
      continue
    }
    if (breaks) {
      writer.writeIndent()
      indented = run[0] === ' '
      writer.put(run)
    } else if (run[0] === ' ') foldSpaces(writer, run)
    else writer.put(run)
    writer.indention = false
    breaks = false
  }
}

/** The last space of a row may turn into a line break. */
function foldSpaces(writer: Writer, spaces: string): void {
  writer.put(spaces.slice(1))
  if (writer.column > writer.width) writer.writeIndent()
  else writer.put(' ')
}

function isBlankAfterBreaks(text: string, from: number): boolean {
  let i = from
  while (i < text.length && isBreak(text.charCodeAt(i))) i++
  return i >= text.length || text[i] === ' ' || text[i] === '\t' || text[i] === '\0'
}
