// The rules of `file.line`: where a line goes, which one is replaced, which ones are deleted.
import { toError } from '../../../../base/mod.ts'
import { compileRegex, PyError, RegexFlag, str, textOf, truthy, typeName, type Value } from '../../../../data/mod.ts'
import { failed } from './rewriting.ts'

export interface LineWish {
  content: Value
  match: Value
  mode: string
  location: string | null
  before: Value
  after: Value
  indent: boolean
}

const END = /(?:(?<!\r)\n|\r(?!\n)|\r\n)$/

/** How a line ends, if at all. */
export const lineEnd = (line: string): string => END.exec(line)?.[0] ?? ''

const bare = (line: string): string => line.replace(/[\r\n]+$/, '')

/** The line with the other's ending. */
export const endedLike = (model: string, line: string): string => line.trimEnd() + (lineEnd(model) || '\n')

function indentedLike(model: string, line: string, indent: boolean): string {
  return indent ? /^[\t ]*/.exec(model)![0] + line.trimStart() : line
}

/** The lines in which a pattern is found, as a pattern or as it stands; null when none was given. */
function linesWith(lines: readonly string[], wanted: Value): string[] | null {
  if (lines.length === 0 || !truthy(wanted)) return null
  const pattern = textOf(wanted)
  if (pattern === undefined) throw failed(`${notText(wanted)}: '${str(wanted)}'`)
  try {
    const regex = compileRegex(pattern, RegexFlag.DOTALL)
    return lines.filter((line) => regex.search(line) !== null || line.includes(pattern))
  } catch (error) {
    throw failed(`${toError(error).message}: '${pattern}'`)
  }
}

/** Why Python makes no pattern of what is not text. */
function notText(value: Value): string {
  const isCollection = Array.isArray(value) || value instanceof Map
  return isCollection ? `unhashable type: '${typeName(value)}'` : 'first argument must be string or compiled pattern'
}

/** The line that is put in; only text can be stripped. */
function contentOf({ content }: LineWish, strip: 'lstrip' | 'rstrip'): string {
  const text = textOf(content)
  if (text === undefined)
    throw new PyError('AttributeError', `'${typeName(content)}' object has no attribute '${strip}'`)
  return text
}

function assertOne(found: readonly string[], what: string): void {
  if (found.length === 1) return
  throw failed(`Found ${found.length > 1 ? 'more than' : 'less than'} expected occurrences in "${what}" expression`)
}

interface Places {
  before: string[] | null
  after: string[] | null
}

/** New lines; the given ones are not touched. */
export function editLines(given: readonly string[], wish: LineWish): string[] {
  const lines = [...given]
  const { mode, indent } = wish
  const pattern = !truthy(wish.match) && wish.before === null && wish.after === null ? wish.content : wish.match
  const places = { after: linesWith(lines, wish.after), before: linesWith(lines, wish.before) }
  const match = linesWith(lines, pattern)
  if (lines.length === 0 && (mode === 'delete' || mode === 'replace')) return []
  if (mode === 'delete' && match?.length) return lines.filter((line) => line !== match[0])
  if (mode === 'replace' && match?.length) {
    const at = lines.indexOf(match[0]!)
    lines[at] = indentedLike(lines[at]!, contentOf(wish, 'lstrip'), indent)
  } else if (mode === 'insert') {
    insert(lines, wish, places)
  } else if (mode === 'ensure') {
    ensure(lines, wish, places)
  }
  return lines
}

function insert(lines: string[], wish: LineWish, { before, after }: Places): void {
  const { location, indent } = wish
  const content = contentOf(wish, 'rstrip')
  if (before === null && after === null && location === null) {
    throw failed('On insert either "location" or "before/after" conditions are required.')
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
    // of the first line the neighbour is the last one
    if (bare(lines.at(at - 1)!) !== bare(content)) lines.splice(at, 0, indentedLike(lines[at]!, content, indent))
  } else {
    throw failed('Neither before or after was found in file')
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

function ensure(lines: string[], wish: LineWish, { before, after }: Places): void {
  const { indent } = wish
  const content = contentOf(wish, 'rstrip')
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
    throw failed('Wrong conditions? Unable to ensure line without knowing where to put it before and/or after.')
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
  else throw failed('Found more than one line between boundaries "before" and "after".')
}
