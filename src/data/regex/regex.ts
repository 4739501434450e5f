// Python's `re` for text: compiled patterns with Python's methods. A pattern runs on a RegExp where that gives the
// same answers and on our own matcher where it does not.
import { PyError } from '../errors.ts'
import { tuple, type Value } from '../value.ts'
import type { Pattern } from './ast.ts'
import { PyMatch } from './match.ts'
import { type Demand, RegexMatcher } from './matcher.ts'
import { parsePattern } from './parser.ts'
import { assemble, type RegexProgram } from './program.ts'
import { parseRegexTemplate, type RegexTemplate } from './template.ts'
import { translatePattern } from './translate.ts'
import { widthOf } from './width.ts'

const MOST_CACHED = 512
const cache = new Map<string, PyRegex>()

/** `re.compile`; throws `re.error` with Python's text. Flags are added up from `RegexFlag`. */
export function compileRegex(pattern: string, flags = 0): PyRegex {
  const key = `${flags}:${pattern}`
  let regex = cache.get(key)
  if (regex === undefined) {
    regex = new PyRegex(pattern, flags)
    if (cache.size >= MOST_CACHED) cache.delete(cache.keys().next().value!)
    cache.set(key, regex)
  }
  return regex
}

/** `re.escape`. */
export function reEscape(text: string): string {
  return text.replace(/[()[\]{}?*+\-|^$\\.&~# \t\n\r\v\f]/g, '\\$&')
}

/** The replacement of a match: a template, or a function that returns the text. */
export type Replacement = string | ((match: PyMatch) => string)

export class PyRegex {
  readonly pattern: string
  readonly flags: number
  /** The number of groups. */
  readonly groups: number
  readonly groupNames: ReadonlyMap<string, number>
  private readonly tree: Pattern
  private readonly shortest: number
  private readonly source: string | undefined
  private readonly templates = new Map<string, RegexTemplate>()
  private searcher: RegExp | undefined
  private sticky: RegExp | undefined
  private sole: RegExp | undefined
  private filled: RegExp | undefined
  private assembled: RegexProgram | undefined

  constructor(pattern: string, flags: number) {
    this.tree = parsePattern(pattern, flags)
    this.pattern = pattern
    this.flags = this.tree.flags
    this.groups = this.tree.groups
    this.groupNames = this.tree.names
    this.shortest = widthOf(this.tree.root, [])[0]
    this.source = translatePattern(this.tree)
  }

  /** The first match from `from` on. */
  search(text: string, from = 0): PyMatch | null {
    if (text.length - from < this.shortest) return null
    if (this.source === undefined) return this.ownSearch(text, from)
    this.searcher ??= native(this.source, 'gv')
    return this.exec(this.searcher, text, from)
  }

  /** A match that begins at the text's start. */
  match(text: string): PyMatch | null {
    if (this.source === undefined) return this.ownMatch(text, 0, {})
    this.sticky ??= native(this.source, 'vy')
    return this.exec(this.sticky, text, 0)
  }

  /** A match of the whole text. */
  fullmatch(text: string): PyMatch | null {
    if (this.source === undefined) return this.ownMatch(text, 0, { full: true })
    this.sole ??= native(`(?:${this.source})$`, 'vy')
    return this.exec(this.sole, text, 0)
  }

  /** Yield all matches from left to right; an empty one may follow one that is not. */
  *finditer(text: string): Generator<PyMatch> {
    let found = this.search(text)
    while (found !== null) {
      yield found
      found = found.end === found.start ? this.afterEmpty(text, found.end) : this.search(text, found.end)
    }
  }

  /** Each match's text; of a pattern with groups, the groups' texts. */
  findall(text: string): Value[] {
    return Array.from(this.finditer(text), (match): Value => {
      if (this.groups === 0) return match.group()!
      const texts = match.groups('')
      return texts.length === 1 ? texts[0]! : tuple(texts)
    })
  }

  /** The text between the matches and the groups of the matches; at most `most` splits, 0 for all. */
  split(text: string, most = 0): Array<string | null> {
    const parts: Array<string | null> = []
    let end = 0
    let count = 0
    if (most < 0) return [text]
    for (const match of this.finditer(text)) {
      parts.push(text.slice(end, match.start), ...match.groups())
      end = match.end
      if (++count === most) break
    }
    parts.push(text.slice(end))
    return parts
  }

  /** Return the text with its matches replaced; at most `most` of them, 0 for all. */
  sub(replacement: Replacement, text: string, most = 0): string {
    const expand = typeof replacement === 'string' ? this.expander(replacement) : replacement
    let result = ''
    let end = 0
    let count = 0
    if (most < 0) return text
    for (const match of this.finditer(text)) {
      result += text.slice(end, match.start) + expand(match)
      end = match.end
      if (++count === most) break
    }
    return count === 0 ? text : result + text.slice(end)
  }

  private expander(text: string): (match: PyMatch) => string {
    let template = this.templates.get(text)
    if (template === undefined) {
      template = parseRegexTemplate(text, this.groups, this.groupNames)
      if (this.templates.size >= MOST_CACHED) this.templates.clear()
      this.templates.set(text, template)
    }
    if (template.length === 1 && typeof template[0] === 'string') {
      const [constant] = template
      return () => constant
    }
    const pieces = template
    return (match) => {
      let result = ''
      for (const piece of pieces) result += typeof piece === 'string' ? piece : (match.group(piece) ?? '')
      return result
    }
  }

  private exec(regexp: RegExp, text: string, from: number): PyMatch | null {
    regexp.lastIndex = from
    let found = executed(regexp, text)
    // V8 may find a pattern that begins with an assertion inside a surrogate pair
    while (found !== null && isInsidePair(text, found.index)) {
      regexp.lastIndex = found.index + 1
      found = executed(regexp, text)
    }
    return found === null ? null : new PyMatch(text, found.index, found, this.groupNames)
  }

  /** Return the match after an empty one: a non-empty one at the same position, or the next one after it. */
  private afterEmpty(text: string, at: number): PyMatch | null {
    if (this.source === undefined) {
      const here = this.ownMatch(text, at, { filled: true })
      return here ?? (at < text.length ? this.ownSearch(text, nextPlace(text, at)) : null)
    }
    // remember the rest of the text at the start: at the end it must differ
    this.filled ??= native(`(?=([\\s\\S]*))(?:${shifted(this.source)})(?!\\1$)`, 'vy')
    this.filled.lastIndex = at
    const found = executed(this.filled, text)
    if (found !== null) {
      return new PyMatch(text, at, [found[0], ...found.slice(2)], this.groupNames)
    }
    return at < text.length ? this.search(text, nextPlace(text, at)) : null
  }

  private get program(): RegexProgram {
    this.assembled ??= assemble(this.tree)
    return this.assembled
  }

  private ownMatch(text: string, at: number, demand: Demand): PyMatch | null {
    const matcher = new RegexMatcher(this.program, text, demand)
    return matcher.matchAt(at) ? this.ownResult(text, matcher.registers) : null
  }

  private ownSearch(text: string, from: number): PyMatch | null {
    const matcher = new RegexMatcher(this.program, text)
    for (let at = from; at <= text.length; at = nextPlace(text, at)) {
      if (matcher.matchAt(at)) return this.ownResult(text, matcher.registers)
    }
    return null
  }

  private ownResult(text: string, registers: readonly number[]): PyMatch {
    const texts: Array<string | undefined> = []
    for (let i = 0; i <= this.groups; i++) {
      const [start, end] = [registers[2 * i]!, registers[2 * i + 1]!]
      texts.push(start < 0 || end < 0 ? undefined : text.slice(start, end))
    }
    return new PyMatch(text, registers[0]!, texts, this.groupNames)
  }
}

function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
}

function nextPlace(text: string, at: number): number {
  return at + (text.codePointAt(at)! > 0xffff ? 2 : 1)
}

/** The source with its references one group further. */
function shifted(source: string): string {
  return source.replace(/\(\?:\\(\d+)\)/g, (_, group) => `(?:\\${Number(group) + 1})`)
}

const native = (source: string, flags: string): RegExp => within(() => new RegExp(source, flags))

const executed = (regexp: RegExp, text: string): RegExpExecArray | null => within(() => regexp.exec(text))

/** V8 refuses an expression that is too large for it when it is made or first used; Python has an error for that. */
function within<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error
    throw new PyError('OverflowError', 'regular expression code size limit exceeded')
  }
}
