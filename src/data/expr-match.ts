// Names against the expressions of Salt's white- and blacklists: a name, a glob, or a regular expression for the whole name.
import { PyError } from './errors.ts'
import { fnmatch } from './fnmatch.ts'
import { compileRegex } from './regex/regex.ts'

export function exprMatch(text: string, pattern: string): boolean {
  if (text === pattern || fnmatch(text, pattern)) return true
  try {
    return compileRegex(`\\A${pattern}\\Z`).match(text) !== null
  } catch (error) {
    if (error instanceof PyError && error.code === 're.error') return false
    throw error
  }
}
