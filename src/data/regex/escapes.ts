// Escapes of Python's patterns: a backslash and the characters after it.
import { BrineError } from '../../base/mod.ts'
import type { Category } from './char-set.ts'
import { lengthOf, type PatternSource } from './pattern-source.ts'

export type Escape =
  | { kind: 'char'; code: number }
  | { kind: 'category'; category: Category }
  | { kind: 'group'; group: number }
  | { kind: 'assertion'; letter: 'A' | 'Z' | 'b' | 'B' }

const CONTROLS: Record<string, number> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 }
const HEX_LENGTHS: Record<string, number> = { x: 2, u: 4, U: 8 }
const HEX = /^[0-9a-fA-F]$/
const OCTAL = /^[0-7]$/
const DIGIT = /^[0-9]$/

/** An escape inside `[…]`. */
export function classEscape(source: PatternSource, token: string): Escape {
  const letter = token.slice(1)
  const control = CONTROLS[letter]
  if (control !== undefined) return { kind: 'char', code: control }
  const common = commonEscape(source, token, letter)
  if (common !== undefined) return common
  if (OCTAL.test(letter)) {
    const digits = letter + source.getWhile(2, OCTAL)
    return octal(source, digits)
  }
  throw badEscape(source, token)
}

/** An escape outside `[…]`; numbers may be groups, which the parser must check. */
export function patternEscape(source: PatternSource, token: string): Escape {
  const letter = token.slice(1)
  if (letter === 'A' || letter === 'Z' || letter === 'b' || letter === 'B') return { kind: 'assertion', letter }
  const control = CONTROLS[letter]
  if (control !== undefined) return { kind: 'char', code: control }
  const common = commonEscape(source, token, letter)
  if (common !== undefined) return common
  if (letter === '0') return octal(source, letter + source.getWhile(2, OCTAL))
  if (DIGIT.test(letter)) return octalOrGroup(source, letter)
  throw badEscape(source, token)
}

function commonEscape(source: PatternSource, token: string, letter: string): Escape | undefined {
  if (/^[dDsSwW]$/.test(letter)) return { kind: 'category', category: letter as Category }
  const length = HEX_LENGTHS[letter]
  if (length !== undefined) return hexadecimal(source, token, length)
  if (letter === 'N') return namedCharacter(source)
  if (/^[A-Za-z0-9]$/.test(letter)) return undefined
  return { kind: 'char', code: letter.codePointAt(0)! }
}

function hexadecimal(source: PatternSource, token: string, length: number): Escape {
  const written = token + source.getWhile(length, HEX)
  if (written.length !== length + 2) throw source.error(`incomplete escape ${written}`, written.length)
  const code = Number.parseInt(written.slice(2), 16)
  if (code > 0x10ffff) throw badEscape(source, written)
  return { kind: 'char', code }
}

/** Character names would take a megabyte, so they are the only unsupported part of Python's patterns. */
function namedCharacter(source: PatternSource): never {
  if (!source.match('{')) throw source.error('missing {')
  const name = source.getUntil('}', 'character name')
  throw new BrineError('re.untranslatable', `\\N{${name}} in a regular expression is not supported`, {
    hint: 'Write the character itself, or its number as \\uXXXX',
  })
}

function octal(source: PatternSource, digits: string): Escape {
  const code = Number.parseInt(digits, 8)
  if (code > 0o377) {
    throw source.error(`octal escape value \\${digits} outside of range 0-0o377`, digits.length + 1)
  }
  return { kind: 'char', code }
}

/** Three octal digits are a character, anything shorter is a group. */
function octalOrGroup(source: PatternSource, first: string): Escape {
  let digits = first
  if (source.next !== undefined && DIGIT.test(source.next)) {
    digits += source.get()
    if (/^[0-7]{2}$/.test(digits) && source.next !== undefined && OCTAL.test(source.next)) {
      return octal(source, digits + source.get())
    }
  }
  return { kind: 'group', group: Number(digits) }
}

function badEscape(source: PatternSource, written: string): Error {
  return source.error(`bad escape ${written}`, lengthOf(written))
}
