// An error with the place that caused it, as compilers print it, and what may have been meant.
import type { CompileError } from '../compile/types.ts'

export function placedText({ text, at, hint }: CompileError): string {
  const placed = at?.file === undefined ? text : `${at.file}:${at.line}: ${text}`
  return hint === undefined ? placed : `${placed}\n${hint}`
}
