// A command line as the words a POSIX shell would see, without running one: Python's `shlex.split`.
import { valueError } from '../../data/mod.ts'

export function splitShell(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!
    if (/[ \t\r\n]/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === "'" || char === '"') {
      const quoted = readQuoted(line, i)
      word = (word ?? '') + quoted.text
      i = quoted.end
    } else if (char === '\\') {
      i += 1
      if (i >= line.length) throw valueError('No escaped character')
      word = (word ?? '') + line[i]
    } else word = (word ?? '') + char
  }
  if (word !== undefined) words.push(word)
  return words
}

/** `start` is at the opening quote; within double quotes a backslash protects quotes and itself. */
function readQuoted(line: string, start: number): { text: string; end: number } {
  const quote = line[start]!
  let text = ''
  for (let i = start + 1; i < line.length; i++) {
    const char = line[i]!
    if (char === quote) return { text, end: i }
    const next = line[i + 1]
    if (char === '\\' && quote === '"' && (next === '"' || next === '\\')) {
      text += next
      i += 1
    } else text += char
  }
  throw valueError('No closing quotation')
}
