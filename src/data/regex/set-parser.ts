// `[…]`: members, ranges and classes, with Python's rules for literal brackets and dashes.
import { type Category, type CharSet, charSet, type SetFlags } from './char-set.ts'
import { classEscape } from './escapes.ts'
import { lengthOf, type PatternSource } from './pattern-source.ts'

type Member = { code: number; text: string } | { category: Category; text: string }

/** Reads on behind the opening bracket. */
export function parseSet(source: PatternSource, flags: SetFlags): CharSet {
  const start = source.position - 1
  const negated = source.match('^')
  const ranges: number[] = []
  const categories: Category[] = []
  const add = (member: Member): void => {
    if ('code' in member) ranges.push(member.code, member.code)
    else categories.push(member.category)
  }
  for (let empty = true; ; empty = false) {
    const token = setToken(source, start)
    if (token === ']' && !empty) break
    const member = memberOf(source, token)
    if (!source.match('-')) {
      add(member)
      continue
    }
    const end = setToken(source, start)
    if (end === ']') {
      add(member)
      ranges.push(0x2d, 0x2d)
      break
    }
    addRange(source, ranges, member, memberOf(source, end))
  }
  return charSet(negated, ranges, categories, flags)
}

function setToken(source: PatternSource, start: number): string {
  const token = source.get()
  if (token === undefined) throw source.errorAt('unterminated character set', start)
  return token
}

function memberOf(source: PatternSource, token: string): Member {
  if (!token.startsWith('\\')) return { code: token.codePointAt(0)!, text: token }
  const escaped = classEscape(source, token)
  if (escaped.kind === 'category') return { category: escaped.category, text: token }
  return { code: (escaped as { code: number }).code, text: token }
}

function addRange(source: PatternSource, ranges: number[], from: Member, to: Member): void {
  if (!('code' in from) || !('code' in to) || to.code < from.code) {
    const back = lengthOf(from.text) + 1 + lengthOf(to.text)
    throw source.error(`bad character range ${from.text}-${to.text}`, back)
  }
  ranges.push(from.code, to.code)
}
