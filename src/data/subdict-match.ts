// Salt's match of grain and pillar targets: `a:b:c` is tried as the value `c` under the keys `a:b`, as `b:c` under `a`,
// and with `*` for a level that may be anything. Texts are compared without case.
import { PyError } from './errors.ts'
import { fnmatch } from './fnmatch.ts'
import { compileRegex } from './regex/regex.ts'
import { str } from './repr.ts'
import { traverse } from './traverse.ts'
import { type Dict, isList, type Value } from './value.ts'

export interface SubdictMatchOptions {
  delimiter?: string
  /** The last part is a regular expression, not a glob. */
  regex?: boolean
  /** The last part is a plain text, not a glob. */
  exact?: boolean
}

export function subdictMatch(data: Value, expression: string, options: SubdictMatchOptions = {}): boolean {
  const { delimiter = ':' } = options
  const parts = expression.split(delimiter)
  for (let cut = parts.length - 1; cut > 0; cut--) {
    const key = parts.slice(0, cut).join(delimiter)
    const everything = key === '*'
    const wanted = everything ? expression : parts.slice(cut).join(delimiter)
    const found = everything ? data : traverse(data, key, { default: new Map(), delimiter })
    if (found instanceof Map) {
      if (found.size > 0 && dictMatch(found, wanted, options)) return true
    } else if (Array.isArray(found)) {
      if (found.some((member) => memberMatch(member, wanted, options))) return true
    } else if (textMatch(found, wanted, options)) return true
  }
  return false
}

function memberMatch(member: Value, wanted: string, options: SubdictMatchOptions): boolean {
  return (member instanceof Map && dictMatch(member, wanted, options)) || textMatch(member, wanted, options)
}

function dictMatch(dict: Dict, wanted: string, options: SubdictMatchOptions): boolean {
  const anyLevel = wanted.startsWith('*:')
  const rest = anyLevel ? wanted.slice(2) : wanted
  // below the first level the delimiter is always a colon, whatever it was above
  if (rest === '*' || dict.has(rest) || subdictMatch(dict, rest, { ...options, delimiter: ':' })) return true
  if (!anyLevel) return false
  for (const value of dict.values()) {
    if (value instanceof Map) {
      if (dictMatch(value, rest, options)) return true
    } else if (isList(value)) {
      if (value.some((item) => textMatch(item, rest, options))) return true
    } else if (textMatch(value, rest, options)) return true
  }
  return false
}

function textMatch(value: Value, wanted: string, options: SubdictMatchOptions): boolean {
  const text = str(value).toLowerCase()
  const pattern = wanted.toLowerCase()
  if (!options.regex) return options.exact ? text === pattern : fnmatch(text, pattern)
  try {
    return compileRegex(pattern).match(text) !== null
  } catch (error) {
    // a pattern that is none matches nothing
    if (error instanceof PyError) return false
    throw error
  }
}
