// The double that Python's float() makes of a number.
import { PyError } from './errors.ts'
import { Float } from './value.ts'

/** Ints beyond the range of doubles raise Python's OverflowError. */
export function toDouble(n: number | bigint | Float | boolean): number {
  if (typeof n === 'number') return n
  if (n instanceof Float) return n.value
  const x = Number(n)
  if (!Number.isFinite(x)) throw new PyError('OverflowError', 'int too large to convert to float')
  return x
}
