// A set of characters: the compiled form of `[…]`, `.`, `\w` and every single letter of a pattern.
import { SPACE, WORD } from '../text.ts'
import { foldRanges, inRanges } from './case.ts'

/** Python's classes over all of Unicode; a capital is the complement. */
export type Category = 'd' | 'D' | 's' | 'S' | 'w' | 'W'

export interface CharSet {
  negated: boolean
  /** Pairs of first and last code point. */
  ranges: readonly number[]
  categories: readonly Category[]
}

const BODIES = { d: '\\p{Nd}', s: SPACE, w: WORD } as const

const ASCII_RANGES: Record<Category, number[]> = {
  d: [0x30, 0x39],
  D: [0, 0x2f, 0x3a, 0x10ffff],
  s: [9, 13, 0x20, 0x20],
  S: [0, 8, 14, 0x1f, 0x21, 0x10ffff],
  w: [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a],
  W: [0, 0x2f, 0x3a, 0x40, 0x5b, 0x5e, 0x60, 0x60, 0x7b, 0x10ffff],
}

// not the complement of nothing: under the `v` flag V8 takes `[^]` for an empty set
export const ANY: CharSet = { negated: false, ranges: [0, 0x10ffff], categories: [] }
export const NOT_NEWLINE: CharSet = { negated: true, ranges: [10, 10], categories: [] }

export interface SetFlags {
  ignoreCase: boolean
  ascii: boolean
}

/** Return the members of a set under the flags: without case, or with ASCII classes only. */
export function charSet(
  negated: boolean,
  ranges: readonly number[],
  categories: readonly Category[],
  flags: SetFlags,
): CharSet {
  const own = flags.ignoreCase ? foldRanges(ranges, flags.ascii) : ranges
  if (!flags.ascii) return { negated, ranges: own, categories }
  return { negated, ranges: [...own, ...categories.flatMap((category) => ASCII_RANGES[category])], categories: [] }
}

const isNegated = (category: Category): boolean => category === 'D' || category === 'S' || category === 'W'

const bodyOf = (category: Category): string => BODIES[category.toLowerCase() as 'd' | 's' | 'w']

/** The set in JavaScript's notation under the `v` flag. */
export function setSource(set: CharSet): string {
  const { ranges, categories } = set
  if (!set.negated && categories.length === 0 && ranges.length === 2 && ranges[0] === ranges[1]) {
    return codeSource(ranges[0]!)
  }
  let body = ''
  for (let i = 0; i < ranges.length; i += 2) {
    body += codeSource(ranges[i]!)
    if (ranges[i] !== ranges[i + 1]) body += `-${codeSource(ranges[i + 1]!)}`
  }
  for (const category of categories) body += `[${isNegated(category) ? '^' : ''}${bodyOf(category)}]`
  return `[${set.negated ? '^' : ''}${body}]`
}

function codeSource(code: number): string {
  const char = String.fromCodePoint(code)
  return /^[\w ]$/.test(char) ? char : `\\u{${code.toString(16)}}`
}

/** Says whether a code point is in the set. */
export function setTest(set: CharSet): (code: number) => boolean {
  const { negated, ranges, categories } = set
  if (categories.length === 0) {
    if (ranges.length === 2 && ranges[0] === ranges[1]) {
      const only = ranges[0]
      return negated ? (code) => code !== only : (code) => code === only
    }
    return (code) => inRanges(ranges, code) !== negated
  }
  const tests = categories.map((category) => {
    const test = categoryTest(bodyOf(category))
    return isNegated(category) ? (code: number) => !test(code) : test
  })
  return (code) => (inRanges(ranges, code) || tests.some((test) => test(code))) !== negated
}

const categoryTests = new Map<string, (code: number) => boolean>()

function categoryTest(body: string): (code: number) => boolean {
  let test = categoryTests.get(body)
  if (test === undefined) {
    const pattern = new RegExp(`^[${body}]$`, 'v')
    const small = Array.from({ length: 256 }, (_, code) => pattern.test(String.fromCharCode(code)))
    test = (code) => (code < 256 ? small[code]! : pattern.test(String.fromCodePoint(code)))
    categoryTests.set(body, test)
  }
  return test
}

/** Return `\w` for ASCII or Unicode, as a test and as a class. */
export function wordSet(ascii: boolean): CharSet {
  return charSet(false, [], ['w'], { ignoreCase: false, ascii })
}
