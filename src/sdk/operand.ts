// Operands of programs: names and paths that follow the options.
import { failure } from '../data/mod.ts'

/** Return a text that no program takes for an option; throw if it begins with a hyphen. */
export function operand(what: string, text: string): string {
  if (text.startsWith('-')) throw failure(`${what} cannot begin with a hyphen: '${text}'`)
  return text
}
