// Formats an error for the user of a command: the place, the reason, the hint, and the lines around the place.
import { readFileSync } from 'node:fs'
import type { BrineError } from '../base/mod.ts'
import { isAnyError, recover } from '../base/mod.ts'
import { splitLines } from '../data/mod.ts'
import { excerpt } from '../render/mod.ts'

/** `file` is the file that was being read, for errors without a place. */
export function complaint({ reason, at, hint }: BrineError, file: string): string {
  const place = at?.file ?? file
  const lines = [`${at === undefined ? place : `${place}:${at.line}`}: ${reason}`]
  if (hint !== undefined) lines.push(hint)
  const quoted = at === undefined ? undefined : linesAround(place, at.line)
  if (quoted !== undefined) lines.push('', quoted)
  return `${lines.join('\n')}\n`
}

/** Undefined if the file has no such text; an error at the very end is shown in the last line. */
function linesAround(file: string, line: number): string | undefined {
  // the error itself is already reported
  return recover(isAnyError, undefined, () => {
    const text = readFileSync(file, 'utf8')
    const last = splitLines(text).length
    return last === 0 ? undefined : excerpt(text, Math.min(line, last))
  })
}
