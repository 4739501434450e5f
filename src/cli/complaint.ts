// An error for the eyes of who runs a command: the place, the reason, what to try, and the lines around the place.
import { readFileSync } from 'node:fs'
import type { BrineError } from '../base/mod.ts'
import { isAnyError, recover } from '../base/mod.ts'
import { splitLines } from '../data/mod.ts'
import { excerpt } from '../render/mod.ts'

/** `file` is the one that was being read, for errors that do not name theirs. */
export function complaint({ reason, at, hint }: BrineError, file: string): string {
  const place = at?.file ?? file
  const lines = [`${at === undefined ? place : `${place}:${at.line}`}: ${reason}`]
  if (hint !== undefined) lines.push(hint)
  const quoted = at === undefined ? undefined : linesAround(place, at.line)
  if (quoted !== undefined) lines.push('', quoted)
  return `${lines.join('\n')}\n`
}

/** Undefined when the file has no such text; a fault at the very end is shown in the last line. */
function linesAround(file: string, line: number): string | undefined {
  // the error itself matters, and it is told already
  return recover(isAnyError, undefined, () => {
    const text = readFileSync(file, 'utf8')
    const last = splitLines(text).length
    return last === 0 ? undefined : excerpt(text, Math.min(line, last))
  })
}
