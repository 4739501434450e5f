// Conversions that C functions apply to their arguments, with CPython's errors.
import { PyError, textOf, typeError, typeName, type Value } from '../../data/mod.ts'

/** An int that counts something and must fit 64 bits. */
export function countArgument(value: Value): number {
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value !== 'bigint') throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
  if (BigInt.asIntN(64, value) !== value) {
    throw new PyError('OverflowError', 'Python int too large to convert to C ssize_t')
  }
  return Number(value)
}

/** A slice edge: any int is fine, however large. */
function edgeArgument(value: Value | undefined, absent: number): number {
  if (value === undefined || value === null) return absent
  if (typeof value === 'number' && Number.isInteger(value)) return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return Number(value)
  throw typeError('slice indices must be integers or None or have an __index__ method')
}

/** The text of a str argument; `refusal` begins the TypeError for anything else. */
export function textArgument(value: Value, refusal: string): string {
  const text = textOf(value)
  if (text === undefined) throw typeError(`${refusal}, not ${typeName(value)}`)
  return text
}

/** The same for the functions that name the argument in their refusal; these call None by its name. */
export function namedTextArgument(value: Value, argument: string): string {
  const text = textOf(value)
  if (text === undefined) {
    throw typeError(`${argument} must be str, not ${value === null ? 'None' : typeName(value)}`)
  }
  return text
}

/** Return the clamped start and end of `[start:end]` for a length. */
export function clampEdges(length: number, start: Value | undefined, end: Value | undefined): [number, number] {
  let from = edgeArgument(start, 0)
  let to = edgeArgument(end, length)
  if (to > length) to = length
  else if (to < 0) to = Math.max(0, to + length)
  if (from < 0) from = Math.max(0, from + length)
  return [from, to]
}
