// Writes scalars like PyYAML's own emitter. It counts code points, and in double quotes it breaks a line anywhere,
// after a backslash.
import { PURE } from './analyze.ts'
import { escapeCharacter } from './escapes.ts'
import type { Writer } from './writer.ts'

const RUNS = / +|[^ ]+/g
const QUOTED_RUNS = / +|[\n\x85\u2028\u2029]+|'|[^ \n\x85\u2028\u2029']+/g
const FOLDED_RUNS = / +|[\n\x85\u2028\u2029]+|[^ \n\x85\u2028\u2029]+/g
const LINES = /[\n\x85\u2028\u2029]+|[^\n\x85\u2028\u2029]+/g
const BREAK = /[\n\x85\u2028\u2029]/

function putRun(writer: Writer, run: string): void {
  writer.put(run, Array.from(run).length)
}

function lineBreak(writer: Writer, char = '\n'): void {
  writer.putBreak(char)
  writer.whitespace = true
  writer.indention = true
}

function lineBreaks(writer: Writer, breaks: string): void {
  for (const char of breaks) lineBreak(writer, char)
}

export function writePlain(writer: Writer, text: string, mayBreak: boolean): void {
  if (text === '') return
  if (!writer.whitespace) writer.put(' ')
  writer.endContent()
  for (const [run] of text.matchAll(RUNS)) {
    if (run === ' ' && mayBreak && writer.column > writer.width) {
      writer.writeIndent()
      writer.endContent()
    } else putRun(writer, run)
  }
}

export function writeSingleQuoted(writer: Writer, text: string, mayBreak: boolean): void {
  writer.writeIndicator("'", true)
  for (const { 0: run, index } of text.matchAll(QUOTED_RUNS)) {
    const inside = index > 0 && index + run.length < text.length
    if (BREAK.test(run)) {
      if (run[0] === '\n') lineBreak(writer)
      lineBreaks(writer, run)
      writer.writeIndent()
    } else if (run === ' ' && mayBreak && inside && writer.column > writer.width) writer.writeIndent()
    else putRun(writer, run === "'" ? "''" : run)
  }
  writer.writeIndicator("'", false)
}

export function writeDoubleQuoted(writer: Writer, text: string, mayBreak: boolean, unicode: boolean): void {
  writer.writeIndicator('"', true)
  const chars = Array.from(text)
  let start = 0
  for (let end = 0; end <= chars.length; end++) {
    const char = chars[end]
    if (char === undefined || !isRaw(char, unicode)) {
      if (start < end) writer.put(chars.slice(start, end).join(''), end - start)
      start = end
      if (char !== undefined) {
        writer.put(escapeCharacter(char.codePointAt(0)!))
        start = end + 1
      }
    }
    const inside = end > 0 && end < chars.length - 1
    if (!mayBreak || !inside || (char !== ' ' && start < end) || writer.column + end - start <= writer.width) continue
    writer.put(`${chars.slice(start, end).join('')}\\`, Math.max(end - start, 0) + 1)
    if (start < end) start = end
    writer.writeIndent()
    writer.endContent()
    if (chars[start] === ' ') writer.put('\\')
  }
  writer.writeIndicator('"', false)
}

function isRaw(char: string, unicode: boolean): boolean {
  const code = char.codePointAt(0)!
  if (code === 0x22 || code === 0x5c) return false
  if (code <= 0x7e) return code >= 0x20
  return unicode && code <= 0xffff && PURE.isPrintable(code) && !PURE.isBreak(code)
}

/** The indentation indicator for text that begins with a blank, and how trailing breaks are chomped. */
export function blockHints(text: string, indent: number): string {
  if (text === '') return ''
  const leading = /^[ \n\x85\u2028\u2029]/.test(text) ? String(indent) : ''
  if (!BREAK.test(text.at(-1)!)) return `${leading}-`
  return text.length === 1 || BREAK.test(text.at(-2)!) ? `${leading}+` : leading
}

export function writeLiteral(writer: Writer, text: string): void {
  lineBreak(writer)
  for (const { 0: run, index } of text.matchAll(LINES)) {
    if (BREAK.test(run)) lineBreaks(writer, run)
    else {
      writer.writeIndent()
      writer.put(run, 0)
      if (index + run.length === text.length) lineBreak(writer)
    }
  }
}

export function writeFolded(writer: Writer, text: string): void {
  lineBreak(writer)
  let indented = true
  let atLineStart = true
  for (const { 0: run, index } of text.matchAll(FOLDED_RUNS)) {
    const next = text[index + run.length]
    if (BREAK.test(run)) {
      if (!indented && next !== undefined && next !== ' ' && run[0] === '\n') lineBreak(writer)
      indented = next === ' '
      lineBreaks(writer, run)
      atLineStart = true
      if (next !== undefined) writer.writeIndent()
      continue
    }
    if (atLineStart && index === 0) {
      indented = run[0] === ' '
      writer.writeIndent()
    }
    atLineStart = false
    if (run === ' ' && writer.column > writer.width) writer.writeIndent()
    else putRun(writer, run)
    if (next === undefined && run[0] !== ' ') lineBreak(writer)
  }
}
