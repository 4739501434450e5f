// Expressions of the configuration, matched against text of others: ids, names of users and functions, arguments. A harmless
// expression may take long on a long text, so longer text than is of use matches nothing.
import { recover } from '../base/mod.ts'
import { compileRegex, fnmatch, PyError, str, type Value } from '../data/mod.ts'

/** Characters of an id, or of the name of a user or a function. */
export const LONGEST_NAME = 256
/** Characters of an argument. */
const LONGEST_TEXT = 1 << 14

/** Whether an expression matches the beginning of a text; an invalid expression matches nothing. */
export function begins(pattern: Value, text: string): boolean {
  return text.length <= LONGEST_TEXT && isMatch(str(pattern), text)
}

/** Whether a name, a glob or a regular expression means this whole name. */
export function means(pattern: string, name: string): boolean {
  if (name.length > LONGEST_NAME) return false
  // a glob such as `*.example.com` is no valid regular expression
  return pattern === name || fnmatch(name, pattern) || isMatch(`(?:${pattern})\\Z`, name)
}

function isMatch(expression: string, text: string): boolean {
  return recover(
    (error) => error instanceof PyError || error instanceof SyntaxError,
    false,
    () => compileRegex(expression).match(text) !== null,
  )
}
