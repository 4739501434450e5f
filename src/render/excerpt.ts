// The lines around an error in Salt's form: five on each side, the faulty one marked.
import { splitLines } from '../data/mod.ts'

const AROUND = 5

const MARKER = '    <======================'

/**
 * `line` counts from 1; a line past the end returns the whole text, as in Salt. `goesOn`: the text is incomplete and is
 * always cut.
 */
export function excerpt(text: string, line: number, { goesOn = false } = {}): string {
  const lines = splitLines(text)
  if (line > lines.length) return text
  const start = Math.max(0, line - AROUND - 1)
  const end = Math.min(lines.length, line + AROUND)
  const quoted = lines.slice(start, end)
  quoted[line - start - 1] += MARKER
  if (start > 0) quoted.unshift('[...]')
  if (goesOn || end < lines.length) quoted.push('[...]')
  return `---\n${quoted.join('\n')}\n---`
}
