// The replacement of `re.sub`: text with `\1`, `\g<name>` and the escapes of patterns.
import { PyError } from '../errors.ts'
import { quote } from '../repr.ts'
import { groupNumber } from './parser.ts'
import { isIdentifier, lengthOf, PatternSource } from './pattern-source.ts'

/** Pieces of text and numbers of groups. */
export type RegexTemplate = ReadonlyArray<string | number>

const CONTROLS: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}
const DIGIT = /^[0-9]$/
const OCTAL = /^[0-7]$/

export function parseRegexTemplate(text: string, groups: number, names: ReadonlyMap<string, number>): RegexTemplate {
  if (!text.includes('\\')) return [text]
  const source = new PatternSource(text)
  const pieces: Array<string | number> = []
  for (;;) {
    const token = source.get()
    if (token === undefined) return pieces
    if (!token.startsWith('\\')) {
      pieces.push(token)
      continue
    }
    const letter = token.slice(1)
    if (letter === 'g') pieces.push(namedGroup(source, groups, names))
    else if (letter === '0') pieces.push(octal(letter + source.getWhile(2, OCTAL)))
    else if (DIGIT.test(letter)) pieces.push(octalOrGroup(source, letter, groups))
    else pieces.push(escaped(source, token, letter))
  }
}

function namedGroup(source: PatternSource, groups: number, names: ReadonlyMap<string, number>): number {
  if (!source.match('<')) throw source.error('missing <')
  const name = source.getUntil('>', 'group name')
  if (isIdentifier(name)) {
    const group = names.get(name)
    if (group === undefined) throw new PyError('IndexError', `unknown group name ${quote(name)}`)
    return group
  }
  const back = lengthOf(name) + 1
  const group = groupNumber(name)
  if (group === undefined) throw source.error(`bad character in group name ${quote(name)}`, back)
  if (group > groups) throw source.error(`invalid group reference ${group}`, back)
  return group
}

const octal = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 8) & 0xff)

function octalOrGroup(source: PatternSource, first: string, groups: number): string | number {
  let digits = first
  if (source.next !== undefined && DIGIT.test(source.next)) {
    digits += source.get()
    if (/^[0-7]{2}$/.test(digits) && source.next !== undefined && OCTAL.test(source.next)) {
      digits += source.get()
      if (Number.parseInt(digits, 8) > 0o377) {
        throw source.error(`octal escape value \\${digits} outside of range 0-0o377`, digits.length + 1)
      }
      return octal(digits)
    }
  }
  const group = Number(digits)
  if (group > groups) throw source.error(`invalid group reference ${group}`, digits.length)
  return group
}

function escaped(source: PatternSource, token: string, letter: string): string {
  const control = CONTROLS[letter]
  if (control !== undefined) return control
  if (/^[A-Za-z]$/.test(letter)) throw source.error(`bad escape ${token}`, 2)
  return token
}
