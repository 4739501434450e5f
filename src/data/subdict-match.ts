// Salt's match of grain and pillar targets: `a:b:c` is tried as the value `c` under the keys `a:b`, as `b:c` under `a`,
// and with `*` for a level that may be anything. Texts are compared without case. Both the data and the expression may be
// written to take long, so each dict is tried once with each rest of the expression.
import { PyError, valueError } from './errors.ts'
import { fnmatch } from './fnmatch.ts'
import { compileRegex } from './regex/regex.ts'
import { str } from './repr.ts'
import { traverseStep } from './traverse.ts'
import { type Dict, isList, type Value } from './value.ts'

export interface SubdictMatchOptions {
  delimiter?: string
  /** The last part is a regular expression, not a glob. */
  regex?: boolean
  /** The last part is a plain text, not a glob. */
  exact?: boolean
}

export function subdictMatch(data: Value, expression: string, options: SubdictMatchOptions = {}): boolean {
  return new Search(expression, options).below(data, 0)
}

class Search {
  private readonly expression: string
  private readonly options: SubdictMatchOptions
  private readonly delimiter: string
  private readonly parts: string[]
  /** The start of each part in the expression. */
  private readonly starts: number[] = []
  /**
   * By dict: the remaining parts that were tried below it, and those tried with it, which are counted from -1
   * downwards.
   */
  private readonly tried = new Map<Value, Set<number>>()

  constructor(expression: string, options: SubdictMatchOptions) {
    this.expression = expression
    this.options = options
    this.delimiter = options.delimiter ?? ':'
    this.parts = expression.split(this.delimiter)
    let start = 0
    for (const part of this.parts) {
      this.starts.push(start)
      start += part.length + this.delimiter.length
    }
  }

  /** Whether the rest of the expression from this part on, cut anywhere into keys and a value, matches in the data. */
  below(data: Value, from: number): boolean {
    if (this.isTried(data, from)) return false
    const { parts } = this
    const isWild = parts[from] === '*' && from < parts.length - 1
    if (this.delimiter === '' && parts.length > from + (isWild ? 2 : 1)) throw valueError('empty separator')
    const found: Value[] = []
    for (let at = from; at < parts.length - 1; at++) {
      const next = traverseStep(at === from ? data : found.at(-1)!, parts[at]!)
      if (next === undefined) break
      found.push(next)
    }
    for (let i = found.length - 1; i >= (isWild ? 1 : 0); i--) if (this.matches(found[i]!, from + i + 1)) return true
    return isWild && this.matches(data, from)
  }

  private matches(found: Value, from: number): boolean {
    if (found instanceof Map) return found.size > 0 && this.within(found, from)
    if (!Array.isArray(found)) return this.isText(found, from)
    return found.some((member) => (member instanceof Map && this.within(member, from)) || this.isText(member, from))
  }

  private within(dict: Dict, from: number): boolean {
    // below the first level the delimiter is always a colon
    if (this.delimiter === ':') return this.inDict(dict, from)
    return new Search(this.rest(from), { ...this.options, delimiter: ':' }).inDict(dict, 0)
  }

  private inDict(dict: Dict, from: number): boolean {
    if (this.isTried(dict, -1 - from)) return false
    const isAnyLevel = this.parts[from] === '*' && from < this.parts.length - 1
    const at = isAnyLevel ? from + 1 : from
    const rest = this.rest(at)
    if (rest === '*' || dict.has(rest) || this.below(dict, at)) return true
    if (!isAnyLevel) return false
    for (const value of dict.values()) {
      if (value instanceof Map) {
        if (this.inDict(value, at)) return true
      } else if (isList(value)) {
        if (value.some((item) => this.isText(item, at))) return true
      } else if (this.isText(value, at)) return true
    }
    return false
  }

  private rest(from: number): string {
    return this.expression.slice(this.starts[from])
  }

  /** Note a dict that was tried without a match; a match ends the search. */
  private isTried(data: Value, rest: number): boolean {
    if (!(data instanceof Map)) return false
    const rests = this.tried.get(data)
    if (rests === undefined) this.tried.set(data, new Set([rest]))
    else if (rests.has(rest)) return true
    else rests.add(rest)
    return false
  }

  private isText(value: Value, from: number): boolean {
    const text = str(value).toLowerCase()
    const pattern = this.rest(from).toLowerCase()
    if (!this.options.regex) return this.options.exact ? text === pattern : fnmatch(text, pattern)
    try {
      return compileRegex(pattern).match(text) !== null
    } catch (error) {
      // a pattern that is none matches nothing
      if (error instanceof PyError) return false
      throw error
    }
  }
}
