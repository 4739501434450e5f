// The rules of `file.line`: the place of an inserted line, and the lines that are replaced or deleted.
import { toError } from '../../../../base/mod.ts'
import {
  compileRegex,
  failure,
  PyError,
  RegexFlag,
  str,
  textOf,
  truthy,
  typeName,
  type Value,
} from '../../../../data/mod.ts'

export interface LineEdit {
  content: Value
  match: Value
  mode: string
  location: string | null
  before: Value
  after: Value
  indent: boolean
}

const END = /(?:(?<!\r)\n|\r(?!\n)|\r\n)$/

/** Return the ending of a line; empty when it has none. */
export const lineEnd = (line: string): string => END.exec(line)?.[0] ?? ''

const bare = (line: string): string => line.replace(/[\r\n]+$/, '')

/** Return a line with the ending of another. */
export const endedLike = (model: string, line: string): string => line.trimEnd() + (lineEnd(model) || '\n')

function indentedLike(model: string, line: string, indent: boolean): string {
  return indent ? /^[\t ]*/.exec(model)![0] + line.trimStart() : line
}

/** Return the lines that match a pattern or contain it literally; null when no pattern is given. */
function linesWith(lines: readonly string[], wanted: Value): string[] | null {
  if (lines.length === 0 || !truthy(wanted)) return null
  const pattern = textOf(wanted)
  if (pattern === undefined) throw failure(`${notText(wanted)}: '${str(wanted)}'`)
  try {
    const regex = compileRegex(pattern, RegexFlag.DOTALL)
    return lines.filter((line) => regex.search(line) !== null || line.includes(pattern))
  } catch (error) {
    throw failure(`${toError(error).message}: '${pattern}'`)
  }
}

/** Return Python's error for a pattern that is not text. */
function notText(value: Value): string {
  const isCollection = Array.isArray(value) || value instanceof Map
  return isCollection ? `unhashable type: '${typeName(value)}'` : 'first argument must be string or compiled pattern'
}

/** Return the line to insert; only text can be stripped. */
function contentOf({ content }: LineEdit, strip: 'lstrip' | 'rstrip'): string {
  const text = textOf(content)
  if (text === undefined)
    throw new PyError('AttributeError', `'${typeName(content)}' object has no attribute '${strip}'`)
  return text
}

function assertOne(found: readonly string[], what: string): void {
  if (found.length === 1) return
  throw failure(`Found ${found.length > 1 ? 'more than' : 'less than'} expected occurrences in "${what}" expression`)
}

interface Places {
  before: string[] | null
  after: string[] | null
}

/** Return the edited lines, without changing the given ones. */
export function editLines(given: readonly string[], edit: LineEdit): string[] {
  const lines = [...given]
  const { mode, indent } = edit
  const pattern = !truthy(edit.match) && edit.before === null && edit.after === null ? edit.content : edit.match
  const places = { after: linesWith(lines, edit.after), before: linesWith(lines, edit.before) }
  const match = linesWith(lines, pattern)
  if (lines.length === 0 && (mode === 'delete' || mode === 'replace')) return []
  if (mode === 'delete' && match?.length) return lines.filter((line) => line !== match[0])
  if (mode === 'replace' && match?.length) {
    const at = lines.indexOf(match[0]!)
    lines[at] = indentedLike(lines[at]!, contentOf(edit, 'lstrip'), indent)
  } else if (mode === 'insert') {
    insert(lines, edit, places)
  } else if (mode === 'ensure') {
    ensure(lines, edit, places)
  }
  return lines
}

function insert(lines: string[], edit: LineEdit, { before, after }: Places): void {
  const { location, indent } = edit
  const content = contentOf(edit, 'rstrip')
  if (before === null && after === null && location === null) {
    throw failure('On insert either "location" or "before/after" conditions are required.')
  }
  if (location) {
    insertAt(lines, content, location, indent)
  } else if (before?.length && after?.length) {
    assertOne(before, 'before')
    assertOne(after, 'after')
    const at = lines.indexOf(before[0]!)
    lines.splice(at, 0, indentedLike(lines[at]!, content, indent))
  } else if (after?.length) {
    assertOne(after, 'after')
    const at = lines.indexOf(after[0]!)
    const next = lines[at + 1]
    if (next === undefined || bare(next) !== bare(content)) {
      lines.splice(at + 1, 0, indentedLike(lines[at]!, content, indent))
    }
  } else if (before?.length) {
    assertOne(before, 'before')
    const at = lines.indexOf(before[0]!)
    // as in Python, the neighbour of the first line is the last one
    if (bare(lines.at(at - 1)!) !== bare(content)) lines.splice(at, 0, indentedLike(lines[at]!, content, indent))
  } else {
    throw failure('Neither before or after was found in file')
  }
}

function insertAt(lines: string[], content: string, location: string, indent: boolean): void {
  if (location === 'end') {
    lines.push(lines.length > 0 ? indentedLike(lines.at(-1)!, content, indent) : content)
  } else if (location === 'start') {
    if (lines.length > 0) lines.unshift(endedLike(lines[0]!, content))
    else lines.push(`${content}\n`)
  }
}

function ensure(lines: string[], edit: LineEdit, { before, after }: Places): void {
  const { indent } = edit
  const content = contentOf(edit, 'rstrip')
  if (before?.length && after?.length) {
    ensureBetween(lines, content, indent, { before, after })
  } else if (before?.length) {
    assertOne(before, 'before')
    const at = lines.indexOf(before[0]!)
    if (at === 0 || bare(lines[at - 1]!) !== bare(content)) {
      lines.splice(at, 0, indentedLike(lines.at(at - 1)!, content, indent))
    }
  } else if (after?.length) {
    assertOne(after, 'after')
    const at = lines.indexOf(after[0]!)
    if (at + 1 >= lines.length || bare(lines[at + 1]!) !== bare(content)) {
      lines.splice(at + 1, 0, indentedLike(lines[at]!, content, indent))
    }
  } else {
    throw failure('Wrong conditions? Unable to ensure line without knowing where to put it before and/or after.')
  }
}

function ensureBetween(
  lines: string[],
  content: string,
  indent: boolean,
  { before, after }: { before: string[]; after: string[] },
): void {
  assertOne(after, 'after')
  assertOne(before, 'before')
  const [from, to] = [lines.indexOf(after[0]!), lines.indexOf(before[0]!)]
  if (lines.some((line) => line.trimStart() === content)) return
  const line = indentedLike(lines[from]!, content, indent)
  if (from + 1 === to) lines.splice(from + 1, 0, line)
  else if (from + 2 === to) lines[from + 1] = line
  else throw failure('Found more than one line between boundaries "before" and "after".')
}
