// `%YAML 1.1` and `%TAG !x! prefix` lines. libyaml refuses every other directive.

import { skipComment } from './block.ts'
import { isBlank, isBlankz, isBreak, isBreakz, isDigit } from './chars.ts'
import type { Cursor } from './cursor.ts'
import { scanHandle, scanUri, scanWord } from './properties.ts'

export type Directive = { kind: 'version'; version: string } | { kind: 'tag'; handle: string; prefix: string }

const LONGEST_NUMBER = 9

/** Scans from `%` to behind the line. */
export function scanDirective(cursor: Cursor): Directive {
  const { text, line, column } = cursor
  const fail = (problem: string): never => cursor.fail('while scanning a directive', line, column, problem)
  const name = scanWord(cursor, cursor.pos + 1)
  if (name === '') fail('could not find expected directive name')
  if (!isBlankz(text.charCodeAt(cursor.pos))) fail('found unexpected non-alphabetical character')
  if (name !== 'YAML' && name !== 'TAG') fail('found unknown directive name')
  const directive = name === 'YAML' ? scanVersion(cursor, line, column) : scanTagDirective(cursor, line, column)
  cursor.skipBlanks()
  if (text.charCodeAt(cursor.pos) === 35) skipComment(cursor)
  const c = text.charCodeAt(cursor.pos)
  if (!isBreakz(c)) fail('did not find expected comment or line break')
  if (isBreak(c)) cursor.newLine()
  return directive
}

function scanVersion(cursor: Cursor, line: number, column: number): Directive {
  cursor.skipBlanks()
  const major = scanNumber(cursor, line, column)
  if (cursor.text.charCodeAt(cursor.pos) !== 46) {
    cursor.fail('while scanning a %YAML directive', line, column, "did not find expected digit or '.' character")
  }
  cursor.pos++
  const minor = scanNumber(cursor, line, column)
  return { kind: 'version', version: `${major}.${minor}` }
}

function scanNumber(cursor: Cursor, line: number, column: number): number {
  const { text, pos } = cursor
  const fail = (problem: string): never => cursor.fail('while scanning a %YAML directive', line, column, problem)
  while (isDigit(text.charCodeAt(cursor.pos))) {
    if (cursor.pos - pos === LONGEST_NUMBER) fail('found extremely long version number')
    cursor.pos++
  }
  if (cursor.pos === pos) fail('did not find expected version number')
  return Number(text.slice(pos, cursor.pos))
}

function scanTagDirective(cursor: Cursor, line: number, column: number): Directive {
  const { text } = cursor
  const fail = (context: string, problem: string): never => cursor.fail(context, line, column, problem)
  cursor.skipBlanks()
  if (text.charCodeAt(cursor.pos) !== 33) fail('while scanning a tag directive', "did not find expected '!'")
  const handle = scanHandle(cursor)
  if (handle !== '!' && !handle.endsWith('!')) fail('while parsing a tag directive', "did not find expected '!'")
  if (!isBlank(text.charCodeAt(cursor.pos))) {
    fail('while scanning a %TAG directive', 'did not find expected whitespace')
  }
  cursor.skipBlanks()
  const prefix = scanUri(cursor, { context: 'while parsing a %TAG directive', line, column, verbatim: true, head: '' })
  if (!isBlankz(text.charCodeAt(cursor.pos))) {
    fail('while scanning a %TAG directive', 'did not find expected whitespace or line break')
  }
  return { kind: 'tag', handle, prefix }
}
