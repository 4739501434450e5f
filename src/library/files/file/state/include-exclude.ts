// Filters of paths: globs, or with `E@` regular expressions.
import { compileRegex, fnmatch, iterate, str, truthy, type Value } from '../../../../data/mod.ts'

function fits(path: string, pattern: Value): boolean {
  const text = str(pattern)
  return text.startsWith('E@') ? compileRegex(text.slice(2)).search(path) !== null : fnmatch(path, text)
}

function fitsAny(path: string, patterns: Value): boolean {
  if (!Array.isArray(patterns)) return fits(path, patterns)
  for (const pattern of iterate(patterns)) if (fits(path, pattern)) return true
  return false
}

export function isIncluded(path: string, include: Value, exclude: Value): boolean {
  if (truthy(include) && !fitsAny(path, include)) return false
  return !truthy(exclude) || !fitsAny(path, exclude)
}
