// Words of a command line, split like a POSIX shell: Python's `shlex.split` and `shlex.quote`.
import { valueError } from './errors.ts'

const BLANK = new Set([' ', '\t', '\r', '\n'])

export function shlexSplit(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (BLANK.has(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === '\\') {
      if (at + 1 >= line.length) throw valueError('No escaped character')
      word = (word ?? '') + line[++at]
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(line, at)
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else {
      word = (word ?? '') + char
    }
  }
  if (word !== undefined) words.push(word)
  return words
}

/** Between double quotes, a backslash escapes a double quote and itself, and is literal otherwise. */
function readQuoted(line: string, start: number): { text: string; end: number } {
  const quote = line[start]
  let text = ''
  for (let at = start + 1; at < line.length; at++) {
    const char = line[at]
    if (char === quote) return { text, end: at }
    if (char !== '\\' || quote === "'") {
      text += char
      continue
    }
    if (++at >= line.length) throw valueError('No escaped character')
    text += line[at] === '"' || line[at] === '\\' ? line[at] : `\\${line[at]}`
  }
  throw valueError('No closing quotation')
}

export function shlexQuote(text: string): string {
  if (text === '') return "''"
  return /[^\w@%+=:,./-]/.test(text) ? `'${text.replaceAll("'", `'"'"'`)}'` : text
}
