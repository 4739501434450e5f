// Text in files: its lines, and the difference of two versions.
import { isA, recover } from '../../../../base/mod.ts'
import {
  decodeBytes,
  failure,
  isInt,
  PyError,
  RegexFlag,
  str,
  strip,
  textOf,
  unifiedDiff,
  type Value,
} from '../../../../data/mod.ts'
import type { Ignored } from '../managed-request.ts'

const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g

/** Return lines with their endings: `\r`, `\n` or `\r\n`. */
export const linesOf = (text: string): string[] => text.match(LINES) ?? []

/** Return the lines of a binary file; only `\n` ends one. */
export const binaryLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Return bytes as text, one character each, for patterns that match bytes. */
export const asLatin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

export const fromLatin = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** Decode a line as UTF-8, or else byte by byte. */
function decodedLine(line: string): string {
  return recover(isA(PyError), line, () => decodeBytes(fromLatin(line)))
}

/** Return the difference of lines as one text. */
export function lineDiff(old: readonly string[], fresh: readonly string[], names: string[] = []): string {
  const [from = '', to = ''] = names
  return unifiedDiff(old, fresh, { from, to }).join('')
}

/** Return the difference of lines of bytes (see `asLatin`). */
export function byteDiff(old: readonly string[], fresh: readonly string[], names: string[] = []): string {
  return lineDiff(old.map(decodedLine), fresh.map(decodedLine), names)
}

/** Whether lines differ by more than their order and the parts that the request ignores. */
export function isSignificant(diff: string, request: Ignored): boolean {
  const { ignore_whitespace, ignore_comment_characters: comments } = request
  const mark = textOf(comments)
  const marks = mark !== undefined ? [mark] : Array.isArray(comments) ? comments.map(str) : []
  const lines: Record<'+' | '-', string[]> = { '+': [], '-': [] }
  for (const line of diff.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const sign = line[0]
    if ((sign !== '+' && sign !== '-') || line.startsWith('+++') || line.startsWith('---')) continue
    let text = line.slice(1)
    for (const mark of marks) if (text.includes(mark)) text = text.slice(0, text.indexOf(mark))
    if (ignore_whitespace) text = strip(text)
    if (text !== '') lines[sign].push(text)
  }
  const sorted = (texts: string[]): string => [...texts].sort().join('\0')
  return lines['+'].length !== lines['-'].length || sorted(lines['+']) !== sorted(lines['-'])
}

const FLAG_NAMES: ReadonlyMap<string, number> = new Map<string, number>([
  ...Object.entries(RegexFlag),
  ['I', RegexFlag.IGNORECASE],
  ['L', RegexFlag.LOCALE],
  ['M', RegexFlag.MULTILINE],
  ['S', RegexFlag.DOTALL],
  ['U', RegexFlag.UNICODE],
  ['X', RegexFlag.VERBOSE],
  ['A', RegexFlag.ASCII],
  ['DEBUG', 128],
])

/** Return the number of regular expression flags: a number, a name, or a list of names. */
export function regexFlags(flags: Value): number {
  if (isInt(flags) || typeof flags === 'boolean') return Number(flags)
  const single = textOf(flags)
  const names = single === undefined ? flags : [single]
  if (!Array.isArray(names)) {
    throw failure(
      `Invalid re flags: "${str(flags)}", must be given either as a single flag string, a list of strings, ` +
        'as an integer, or as an re flag',
    )
  }
  return (names as Value[]).reduce<number>((all, name) => {
    const flag = FLAG_NAMES.get(str(name).toUpperCase())
    if (flag === undefined) throw failure(`Invalid re flag given: ${str(name)}`)
    return all | flag
  }, 0)
}
