// find, count, startswith and their kin. Positions are code points; text without wide characters needs no conversion.
import {
  hasWideChars,
  iterate,
  PyError,
  Tuple,
  textLength,
  textOf,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../data/mod.ts'
import { clampEdges, countArgument, namedTextArgument, textArgument } from './arguments.ts'

/** A part of a text, in UTF-16 units. */
interface Part {
  from: number
  to: number
  wide: boolean
}

function part(text: string, start: Value | undefined, end: Value | undefined): Part {
  const wide = hasWideChars(text)
  const [from, to] = clampEdges(wide ? textLength(text) : text.length, start, end)
  return wide ? { from: unitOffset(text, from), to: unitOffset(text, to), wide } : { from, to, wide }
}

function unitOffset(text: string, points: number): number {
  let at = 0
  for (let i = 0; i < points; i++) {
    // one past the end stays past the end, since no match is possible there
    at += at < text.length && text.codePointAt(at)! > 0xffff ? 2 : 1
  }
  return at
}

const pointOffset = (text: string, unit: number, wide: boolean): number =>
  wide ? textLength(text.slice(0, unit)) : unit

function locate(text: string, sub: Value, start: Value | undefined, end: Value | undefined, last: boolean): number {
  const { from, to, wide } = part(text, start, end)
  const needle = textArgument(sub, 'must be str')
  if (from > to || from > text.length) return -1
  const at = last ? text.lastIndexOf(needle, to - needle.length) : text.indexOf(needle, from)
  if (at < from || at + needle.length > to || to < needle.length) return -1
  return pointOffset(text, at, wide)
}

export function find(text: string, sub: Value, start?: Value, end?: Value): number {
  return locate(text, sub, start, end, false)
}

export function rfind(text: string, sub: Value, start?: Value, end?: Value): number {
  return locate(text, sub, start, end, true)
}

export function found(index: number): number {
  if (index < 0) throw valueError('substring not found')
  return index
}

export function count(text: string, sub: Value, start?: Value, end?: Value): number {
  const { from, to } = part(text, start, end)
  const needle = textArgument(sub, 'must be str')
  if (from > to || from > text.length) return 0
  const within = text.slice(from, to)
  return needle === '' ? textLength(within) + 1 : within.split(needle).length - 1
}

/** `startswith` and `endswith` with one affix or a tuple of them. */
export function hasAffix(
  name: 'startswith' | 'endswith',
  text: string,
  affix: Value,
  start?: Value,
  end?: Value,
): boolean {
  const { from, to } = part(text, start, end)
  const matches = (wanted: string): boolean => {
    if (from > text.length || to - from < wanted.length) return false
    return name === 'startswith' ? text.startsWith(wanted, from) : text.endsWith(wanted, to)
  }
  if (affix instanceof Tuple) {
    for (const item of affix) {
      if (matches(textArgument(item, `tuple for ${name} must only contain str`))) return true
    }
    return false
  }
  return matches(textArgument(affix, `${name} first arg must be str or a tuple of str`))
}

export function replace(text: string, before: Value, after: Value, most: Value = -1): string {
  const from = namedTextArgument(before, 'replace() argument 1')
  const to = namedTextArgument(after, 'replace() argument 2')
  const limit = countArgument(most)
  if (limit === 0) return text
  if (from === '') return spread(text, to, limit)
  if (limit < 0) return text.split(from).join(to)
  const parts = text.split(from)
  if (parts.length - 1 <= limit) return parts.join(to)
  return parts.slice(0, limit + 1).join(to) + from + parts.slice(limit + 1).join(from)
}

/** Puts `to` before each character and at the end, as replacing the empty text does. */
function spread(text: string, to: string, limit: number): string {
  const chars = [...text]
  const times = limit < 0 ? chars.length + 1 : Math.min(limit, chars.length + 1)
  const head = chars.slice(0, times).map((char) => to + char)
  return head.join('') + (times > chars.length ? to : chars.slice(times).join(''))
}

export function join(separator: string, items: Value): string {
  const texts: string[] = []
  for (const item of joinable(items)) {
    const text = textOf(item)
    if (text === undefined) {
      throw typeError(`sequence item ${texts.length}: expected str instance, ${typeName(item)} found`)
    }
    texts.push(text)
  }
  return texts.join(separator)
}

function joinable(items: Value): Iterable<Value> {
  try {
    return iterate(items)
  } catch (error) {
    throw error instanceof PyError && error.code === 'TypeError' ? typeError('can only join an iterable') : error
  }
}
