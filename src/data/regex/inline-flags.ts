// Flags inside a pattern: `(?im)` for the whole of it, `(?i-s:…)` for a part.
import { RegexFlag } from './ast.ts'
import type { PatternSource } from './pattern-source.ts'

/** `t` is a flag that Python accepts and does nothing with. */
const TEMPLATE = 1

const FLAGS: Record<string, number> = {
  i: RegexFlag.IGNORECASE,
  L: RegexFlag.LOCALE,
  m: RegexFlag.MULTILINE,
  s: RegexFlag.DOTALL,
  x: RegexFlag.VERBOSE,
  a: RegexFlag.ASCII,
  t: TEMPLATE,
  u: RegexFlag.UNICODE,
}

/** Mutually exclusive flags. */
export const TYPE_FLAGS: number = RegexFlag.ASCII | RegexFlag.LOCALE | RegexFlag.UNICODE

export const isFlag = (letter: string): boolean => Object.hasOwn(FLAGS, letter)

export interface InlineFlags {
  scoped: boolean
  on: number
  off: number
}

/** Reads on from the first letter (or the minus), up to the colon or the closing parenthesis. */
export function parseInlineFlags(source: PatternSource, first: string): InlineFlags {
  let letter = first
  let on = 0
  if (letter !== '-') {
    ;[on, letter] = flagsOn(source, letter)
    if (letter === ')') return { scoped: false, on, off: 0 }
    if (on & TEMPLATE) throw source.error('bad inline flags: cannot turn on global flag', 1)
  }
  const off = letter === '-' ? flagsOff(source) : 0
  if (off & TEMPLATE) throw source.error('bad inline flags: cannot turn off global flag', 1)
  if (on & off) throw source.error('bad inline flags: flag turned on and off', 1)
  return { scoped: true, on, off }
}

function flagsOn(source: PatternSource, first: string): [on: number, letter: string] {
  let on = 0
  let letter: string | undefined = first
  for (;;) {
    if (letter === 'L') throw source.error("bad inline flags: cannot use 'L' flag with a str pattern")
    const flag = FLAGS[letter]!
    on |= flag
    if (flag & TYPE_FLAGS && (on & TYPE_FLAGS) !== flag) {
      throw source.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible")
    }
    letter = nextLetter(source, 'missing -, : or )', ')-:')
    if (')-:'.includes(letter)) return [on, letter]
  }
}

function flagsOff(source: PatternSource): number {
  let off = 0
  let letter = nextLetter(source, 'missing flag', '')
  for (;;) {
    const flag = FLAGS[letter]!
    if (flag & TYPE_FLAGS) throw source.error("bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
    off |= flag
    letter = nextLetter(source, 'missing :', ':')
    if (letter === ':') return off
  }
}

/** Return a flag's letter or one of the marks that are allowed there. */
function nextLetter(source: PatternSource, missing: string, marks: string): string {
  const letter = source.get()
  if (letter === undefined) throw source.error(missing)
  if (isFlag(letter) || (letter.length === 1 && marks.includes(letter))) return letter
  const back = Array.from(letter).length
  throw source.error(/^\p{L}$/u.test(letter) ? 'unknown flag' : missing, back)
}
