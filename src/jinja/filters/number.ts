// Filters on numbers, and conversions to numbers.
import {
  abs,
  add,
  assertHashable,
  div,
  Float,
  fixedText,
  float,
  floatFromText,
  int,
  intFromText,
  isFloat,
  isNumeric,
  iterate,
  mul,
  numberOf,
  PyError,
  pow,
  round,
  str,
  textOf,
  toDouble,
  truthy,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { JinjaError } from '../errors.ts'
import { builtin } from '../runtime/builtin.ts'
import { type NativeTable, native } from '../runtime/native.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { Undefined } from '../runtime/undefined.ts'
import { integerArgument } from './argument.ts'
import { attributeGetter } from './attribute.ts'

/** `float(value)` as a JavaScript number. */
function toFloat(value: Value): number {
  if (isNumeric(value)) return toDouble(value)
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : textOf(value)
  if (text !== undefined) return floatFromText(text)
  if (value instanceof Undefined) value.fail()
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`)
}

/** Return `int(value)` of a number. */
function truncated(value: number): Value {
  if (Number.isNaN(value)) throw new PyError('ValueError', 'cannot convert float NaN to integer')
  if (!Number.isFinite(value)) throw new PyError('OverflowError', 'cannot convert float infinity to integer')
  return int(BigInt(Math.trunc(value)))
}

function toInt(value: Value, base: Value): Value {
  const text = textOf(value)
  if (text !== undefined) return intFromText(text, integerArgument(base))
  if (value instanceof Uint8Array) return intFromText(Buffer.from(value).toString('latin1'))
  if (isFloat(value)) return truncated(value instanceof Float ? value.value : value)
  if (isNumeric(value)) return typeof value === 'boolean' ? Number(value) : value
  if (value instanceof Undefined) value.fail()
  throw typeError(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`)
}

/** The first attempt that does not fail with one of these errors, else the fallback. */
function firstOf(attempts: (() => Value)[], errors: string[][], fallback: Value): Value {
  for (const [i, attempt] of attempts.entries()) {
    try {
      return attempt()
    } catch (error) {
      if (!(error instanceof PyError) || !errors[i]!.includes(error.code)) throw error
    }
  }
  return fallback
}

const CONVERSION = ['TypeError', 'ValueError']

function intFilter(value: Value, fallback: Value, base: Value): Value {
  const attempts = [() => toInt(value, base), () => truncated(toFloat(value))]
  return firstOf(attempts, [CONVERSION, [...CONVERSION, 'OverflowError']], fallback)
}

function floatFilter(value: Value, fallback: Value): Value {
  return firstOf([() => float(toFloat(value))], [CONVERSION], fallback)
}

function roundFilter(value: Value, precision: Value, method: Value): Value {
  assertHashable(method)
  const how = textOf(method)
  if (how === 'common') return round(value, precision)
  if (how !== 'ceil' && how !== 'floor') {
    throw new JinjaError('FilterArgumentError', 'method must be common, ceil or floor')
  }
  const power = pow(10, precision)
  const scaled = mul(value, power)
  if (!isNumeric(scaled)) throw typeError(`must be real number, not ${typeName(scaled)}`)
  return div(isFloat(scaled) ? truncated(Math[how](numberOf(scaled)!)) : scaled, power)
}

const UNITS = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y']

function filesize(value: Value, binary: Value): string {
  const bytes = toFloat(value)
  const isBinary = truthy(binary)
  const base = isBinary ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${str(truncated(bytes))} Bytes`
  const found = UNITS.findIndex((_, i) => bytes < BigInt(base) ** BigInt(i + 2))
  const at = found < 0 ? UNITS.length - 1 : found
  const unit = isBinary ? `${UNITS[at]!.toUpperCase()}iB` : `${UNITS[at]}B`
  return `${fixedText((base * bytes) / Number(BigInt(base) ** BigInt(at + 2)), 1)} ${unit}`
}

function sum(rt: Runtime, value: Value, attribute: Value, start: Value): Value {
  const items = iterate(value)
  if (textOf(start) !== undefined) throw typeError("sum() can't sum strings [use ''.join(seq) instead]")
  if (start instanceof Uint8Array) throw typeError("sum() can't sum bytes [use b''.join(seq) instead]")
  const get = attributeGetter(rt, attribute)
  let total: Value = start
  for (const item of items) total = add(total, get(item))
  return total
}

export const numberFilters: NativeTable = {
  abs: builtin('abs', 1, (_rt, value: Value) => abs(value)),
  int: native('do_int', ['value', 'default?', 'base?'], (_rt, value, fallback = 0, base = 10) =>
    intFilter(value, fallback, base),
  ),
  float: native('do_float', ['value', 'default?'], (_rt, value, fallback = new Float(0)) =>
    floatFilter(value, fallback),
  ),
  round: native('do_round', ['value', 'precision?', 'method?'], (_rt, value, precision = 0, method = 'common') =>
    roundFilter(value, precision, method),
  ),
  filesizeformat: native('do_filesizeformat', ['value', 'binary?'], (_rt, value, binary = false) =>
    filesize(value, binary),
  ),
  sum: native(
    'sync_do_sum',
    ['@environment', 'iterable', 'attribute?', 'start?'],
    (rt, value, attribute = null, start = 0) => sum(rt, value, attribute, start),
  ),
}
