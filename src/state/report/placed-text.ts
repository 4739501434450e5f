// An error with the place that caused it, as compilers print it.
import type { CompileError } from '../compile/types.ts'

export function placedText({ text, at }: CompileError): string {
  return at?.file === undefined ? text : `${at.file}:${at.line}: ${text}`
}
