// Salt's match of `path:pattern` against nested data. The pattern may contain the delimiter: every way to part the
// expression is tried, the longest path first. Case does not count.
import {
  compileRegex,
  contains,
  dictGet,
  equals,
  fnmatch,
  iterate,
  PyError,
  str,
  traverse,
  type Value,
} from '../data/mod.ts'

export interface SubdictOptions {
  delimiter?: string
  /** The pattern is a regular expression, or an exact text, in place of a glob. */
  regex?: boolean
  exact?: boolean
}

type Test = (value: Value, pattern: string) => boolean

export function subdictMatch(data: Value, expression: string, options: SubdictOptions = {}): boolean {
  const test: Test = options.regex ? regexTest : options.exact ? exactTest : globTest
  return matchesIn(data, expression, options.delimiter ?? ':', test)
}

const lowered = (value: Value): string => str(value).toLowerCase()

const globTest: Test = (value, pattern) => fnmatch(lowered(value), pattern.toLowerCase())
const exactTest: Test = (value, pattern) => lowered(value) === pattern.toLowerCase()
/** A pattern that is none matches nothing. */
const regexTest: Test = (value, pattern) => {
  try {
    return compileRegex(pattern.toLowerCase()).match(lowered(value)) !== null
  } catch (error) {
    if (error instanceof PyError) return false
    throw error
  }
}

const EMPTY: Value = new Map()

function matchesIn(data: Value, expression: string, delimiter: string, test: Test): boolean {
  const parts = expression.split(delimiter)
  for (let i = parts.length - 1; i > 0; i--) {
    const path = parts.slice(0, i).join(delimiter)
    const everything = path === '*'
    const pattern = everything ? expression : parts.slice(i).join(delimiter)
    const found = everything ? data : traverse(data, path, { default: EMPTY, delimiter })
    if (equals(found, EMPTY)) continue
    if (matchesValue(found, pattern, test)) return true
  }
  return false
}

function matchesValue(found: Value, pattern: string, test: Test): boolean {
  if (found instanceof Map) return dictMatches(found, pattern, test)
  if (!Array.isArray(found)) return test(found, pattern)
  return found.some((member) => (member instanceof Map && dictMatches(member, pattern, test)) || test(member, pattern))
}

/** A dict matches by having the pattern as a key, or within; `*:` before the pattern also looks at all values. */
function dictMatches(dict: Map<Value, Value>, whole: string, test: Test): boolean {
  const anywhere = whole.startsWith('*:')
  const pattern = anywhere ? whole.slice(2) : whole
  if (pattern === '*' || contains(dict, pattern) || matchesIn(dict, pattern, ':', test)) return true
  if (!anywhere) return false
  for (const key of iterate(dict)) {
    const value = dictGet(dict, key)!
    if (value instanceof Map ? dictMatches(value, pattern, test) : anyMatches(value, pattern, test)) return true
  }
  return false
}

function anyMatches(value: Value, pattern: string, test: Test): boolean {
  const isList = Array.isArray(value)
  return isList ? value.some((item) => test(item, pattern)) : test(value, pattern)
}
