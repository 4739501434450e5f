// Python's `fnmatch.fnmatchcase`: `*` any text (line ends too), `?` one character, `[seq]` and `[!seq]` sets, nothing
// escaped. Matched by hand instead of through a RegExp, so that no pattern can take exponential time.
import { hasWideChars } from './protocol.ts'

const ANY = -1
const STAR = -2

interface CharSet {
  negated: boolean
  /** Pairs of first and last code point. */
  ranges: number[]
}

type Token = number | CharSet

/** Says whether a text matches. */
export type Glob = (text: string) => boolean

const MOST_CACHED = 1024
const cache = new Map<string, Glob>()

export function compileGlob(pattern: string): Glob {
  const known = cache.get(pattern)
  if (known !== undefined) return known
  const glob = /[*?[]/.test(pattern) ? globOf(pattern) : (text: string) => text === pattern
  if (cache.size >= MOST_CACHED) cache.clear()
  cache.set(pattern, glob)
  return glob
}

export function fnmatch(text: string, pattern: string): boolean {
  return compileGlob(pattern)(text)
}

/** The names that match. */
export function fnmatchFilter(names: Iterable<string>, pattern: string): string[] {
  return Array.from(names).filter(compileGlob(pattern))
}

function globOf(pattern: string): Glob {
  const tokens = tokensOf(Array.from(pattern, (char) => char.codePointAt(0)!))
  if (tokens.length === 1 && tokens[0] === STAR) return () => true
  return (text) => {
    if (!hasWideChars(text)) return matches(tokens, text.length, (i) => text.charCodeAt(i))
    const codes = Array.from(text, (char) => char.codePointAt(0)!)
    return matches(tokens, codes.length, (i) => codes[i]!)
  }
}

function tokensOf(pattern: number[]): Token[] {
  const tokens: Token[] = []
  // behind the last closing bracket no set can begin
  const lastEnd = pattern.lastIndexOf(0x5d)
  for (let i = 0; i < pattern.length; i++) {
    const code = pattern[i]!
    if (code === 0x2a) {
      if (tokens.at(-1) !== STAR) tokens.push(STAR)
    } else if (code === 0x3f) tokens.push(ANY)
    else if (code === 0x5b) {
      const end = i < lastEnd ? setEnd(pattern, i + 1) : -1
      if (end < 0) tokens.push(code)
      else {
        tokens.push(setOf(pattern.slice(i + 1, end)))
        i = end
      }
    } else tokens.push(code)
  }
  return tokens
}

/**
 * Return the position of the set's closing bracket, or -1; a bracket right after the opening (or its `!`) is a member.
 */
function setEnd(pattern: number[], start: number): number {
  let first = start
  if (pattern[first] === 0x21) first++
  if (pattern[first] === 0x5d) first++
  return pattern.indexOf(0x5d, first)
}

const DASH = 0x2d

function setOf(body: number[]): Token {
  const negated = body[0] === 0x21
  const ranges: number[] = []
  // A dash is a range only between two characters, and the end of one range cannot begin another.
  for (let i = negated ? 1 : 0; i < body.length; ) {
    const first = body[i]!
    if (body[i + 1] === DASH && i + 2 < body.length) {
      const last = body[i + 2]!
      if (first <= last) ranges.push(first, last) // a range the wrong way round is empty
      i += 3
    } else {
      ranges.push(first, first)
      i++
    }
  }
  return { negated, ranges }
}

function inSet(set: CharSet, code: number): boolean {
  const { ranges } = set
  for (let i = 0; i < ranges.length; i += 2) {
    if (code >= ranges[i]! && code <= ranges[i + 1]!) return !set.negated
  }
  return set.negated
}

/** On a mismatch only the last star is retried: it can match everything that an earlier star could. */
function matches(tokens: Token[], length: number, codeAt: (i: number) => number): boolean {
  let token = 0
  let at = 0
  let star = -1
  let resume = 0
  while (at < length) {
    const wanted = token < tokens.length ? tokens[token]! : undefined
    if (wanted === STAR) {
      star = token++
      resume = at
    } else if (wanted !== undefined && takes(wanted, codeAt(at))) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++resume
    } else return false
  }
  while (tokens[token] === STAR) token++
  return token === tokens.length
}

function takes(wanted: Token, code: number): boolean {
  return typeof wanted === 'number' ? wanted === ANY || wanted === code : inSet(wanted, code)
}
