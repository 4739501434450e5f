// Text on its way to a terminal.
import { isInt, SPACE, textOf, typeError, typeName, type Value } from '../data/mod.ts'

const BLANK = new RegExp(`[${SPACE}]`)

/** `str.rstrip`. */
export function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && BLANK.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

/**
 * Replace characters that control a terminal (escapes, the bell, other control characters) by question marks; blanks
 * and line ends stay.
 */
export function stripEscapes(text: string): string {
  return text.replace(/[\x00-\x08\x0e-\x1f\x7f-\x9f]/g, '?')
}

/** Removes colours from finished output. */
export function withoutColors(text: string): string {
  return text.replace(/\x1b[^m]*m/g, '')
}

/** The value as text, or Python's TypeError. */
export function needText(value: Value): string {
  const text = textOf(value)
  if (text === undefined) throw typeError(`expected str instance, ${typeName(value)} found`)
  return text
}

/** A count of columns, or Python's TypeError. */
export function needSpaces(value: Value): number {
  if (typeof value === 'boolean' || isInt(value)) return Number(value)
  throw typeError(`can't multiply sequence by non-int of type '${typeName(value)}'`)
}

/** `' ' * columns`; none for a negative number. */
export function margin(columns: number): string {
  return ' '.repeat(Math.max(0, columns))
}
