// Salt's filters that read numbers: from text, from sizes with units, from MAC addresses, and the average.
import {
  add,
  div,
  Float,
  float,
  floatFromText,
  int,
  intFromText,
  isInt,
  iterate,
  len,
  numberOf,
  PyError,
  repr,
  SPACE,
  str,
  strip,
  textOf,
  toDouble,
  truthy,
  typeError,
  typeName,
  type Value,
  valueError,
} from '../../../data/mod.ts'
import { noAttribute } from '../../filters/argument.ts'
import { type NativeTable, native } from '../../runtime/native.ts'
import { Undefined } from '../../runtime/undefined.ts'
import { isHashableType } from '../python-type.ts'

/** Return the result of `make`; undefined if Python would raise ValueError. */
function unlessValueError<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof PyError && error.code === 'ValueError') return undefined
    throw error
  }
}

/** The digits that `int()` and `float()` read in text or bytes. */
function numeral(value: Value): string | undefined {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : textOf(value)
}

/** `int(value)`. */
export function toInt(value: Value): number | bigint {
  const text = numeral(value)
  if (text !== undefined) return intFromText(text)
  if (typeof value === 'bigint') return value
  const n = numberOf(value)
  if (n === undefined) {
    if (value instanceof Undefined) value.fail()
    const wanted = 'a string, a bytes-like object or a real number'
    throw typeError(`int() argument must be ${wanted}, not '${typeName(value)}'`)
  }
  if (Number.isNaN(n)) throw valueError('cannot convert float NaN to integer')
  if (!Number.isFinite(n)) throw new PyError('OverflowError', 'cannot convert float infinity to integer')
  return int(BigInt(Math.trunc(n)))
}

/** `float(value)`. */
function toFloat(value: Value): number | Float {
  const text = numeral(value)
  if (text !== undefined) {
    const read = unlessValueError(() => floatFromText(text))
    if (read === undefined) throw valueError(`could not convert string to float: ${repr(value)}`)
    return float(read)
  }
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' || value instanceof Float) {
    return float(toDouble(value))
  }
  if (value instanceof Undefined) value.fail()
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`)
}

/** Return an int if possible, else a float, else the value unchanged. */
export function toNum(value: Value): Value {
  return unlessValueError(() => toInt(value)) ?? unlessValueError(() => toFloat(value)) ?? value
}

function isHex(value: Value): boolean {
  const text = numeral(value)
  return text !== undefined && unlessValueError(() => intFromText(text, 16)) !== undefined
}

const UNITS = 'bkmgtpezy'
const SIZE = new RegExp(`^([0-9.]*)[${SPACE}]*([^\\n]*)$`)

function humanToBytes(size: Value, defaultUnit: Value, metric: boolean): Value {
  const match = SIZE.exec(strip(str(size)))
  if (match === null) return noAttribute(null, 'group')
  const unit = match[2]!.toLowerCase() || (textOf(defaultUnit)?.toLowerCase() ?? noAttribute(defaultUnit, 'lower'))
  const value = toNum(match[1]!)
  if (typeof value === 'string') return 0
  const decimal = /^[kmgtpezy]b$/.test(unit)
  if (!decimal && !/^(?:b|[kmgtpezy](?:ib)?)$/.test(unit)) return 0
  const power = UNITS.indexOf(unit[0]!)
  const factor = decimal && metric ? 10n ** BigInt(power * 3) : 2n ** BigInt(power * 10)
  return isInt(value) ? int(BigInt(value) * factor) : toInt(numberOf(value)! * Number(factor))
}

function average(values: Value): Value {
  if (isHashableType(values)) return toFloat(values)
  let sum: Value = 0
  for (const item of iterate(values)) sum = add(sum, item)
  return toFloat(div(sum, len(values)))
}

function macBytes(mac: Value): Value {
  const length = len(mac)
  if (length !== 12 && length !== 17) throw valueError('Invalid MAC address')
  const text = textOf(mac)
  if (text === undefined) return noAttribute(mac, 'replace')
  const digits = length === 12 ? text : text.replaceAll(text[2]!, '')
  return Uint8Array.from({ length: 6 }, (_, i) => hexByte(digits.slice(2 * i, 2 * i + 2)))
}

function hexByte(digits: string): number {
  const value = Number(intFromText(digits, 16))
  if (value < 0) throw valueError('bytes must be in range(0, 256)')
  return value
}

export const saltNumberFilters: NativeTable = {
  to_num: native('to_num', ['text'], (_rt, value) => toNum(value)),
  str_to_num: native('to_num', ['text'], (_rt, value) => toNum(value)),
  is_hex: native('is_hex', ['value'], (_rt, value) => isHex(value)),
  human_to_bytes: native(
    'human_to_bytes',
    ['size', 'default_unit?', 'handle_metric?'],
    (_rt, size, defaultUnit = 'B', metric = false) => humanToBytes(size, defaultUnit, truthy(metric)),
  ),
  avg: native('lst_avg', ['lst'], (_rt, values) => average(values)),
  mac_str_to_bytes: native('mac_str_to_bytes', ['mac_str'], (_rt, mac) => macBytes(mac)),
}
