// Between datetimes and seconds since 1970; a datetime that has no zone is read in the zone of the process.
import { PyError, typeError, valueError } from '../errors.ts'
import { floatFromText, intFromText } from '../number-text.ts'
import { div } from '../numbers.ts'
import { str } from '../repr.ts'
import { Float, float, int, isNumeric, textOf, typeName, type Value } from '../value.ts'
import { PyDatetime } from './date.ts'

/** 1 January 1970 in microseconds of wall clock. */
const EPOCH = 719163n * 86_400_000_000n

/** `datetime.fromtimestamp(value)`: local time; microseconds are rounded, halves to even. */
export function fromTimestamp(value: Value): PyDatetime {
  if (!isNumeric(value)) throw typeError(`'${typeName(value)}' object cannot be interpreted as an integer`)
  const n = value instanceof Float ? value.value : Number(value)
  if (Number.isNaN(n)) throw valueError('Invalid value NaN (not a number)')
  if (Math.abs(n) >= 2 ** 63) throw new PyError('OverflowError', 'timestamp out of range for platform time_t')
  let seconds = Math.trunc(n)
  let micros = halfEven((n - seconds) * 1e6)
  if (micros >= 1e6) {
    micros -= 1e6
    seconds++
  } else if (micros < 0) {
    micros += 1e6
    seconds--
  }
  return localDatetime(new Date(seconds * 1000), micros)
}

/** The local wall clock of an instant. */
export function localDatetime(date: Date, microsecond: number): PyDatetime {
  if (Number.isNaN(date.getTime())) {
    throw new PyError('OverflowError', 'timestamp out of range for platform time_t')
  }
  return new PyDatetime(date.getFullYear(), date.getMonth() + 1, date.getDate(), {
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    microsecond,
    offset: undefined,
  })
}

function halfEven(x: number): number {
  const low = Math.floor(x)
  const rest = x - low
  return rest > 0.5 || (rest === 0.5 && low % 2 !== 0) ? low + 1 : low
}

/** `datetime.timestamp()`. */
export function timestampOf(datetime: PyDatetime): Value {
  const { offset, hour, minute, second, microsecond } = datetime.time
  if (offset !== undefined) return div(int(datetime.wall - EPOCH - BigInt(offset) * 1_000_000n), 1_000_000)
  const local = new Date(2000, 0, 1, hour, minute, second)
  local.setFullYear(datetime.year, datetime.month - 1, datetime.day)
  return float(local.getTime() / 1000 + microsecond / 1e6)
}

/**
 * Return the datetime for an argument of Salt's `strftime` filter: None for now, a datetime, or seconds as a number or
 * text.
 */
export function castDate(value: Value, now: Date = new Date()): PyDatetime {
  if (value === null) return localDatetime(now, now.getMilliseconds() * 1000)
  if (value instanceof PyDatetime) return value
  let shown = value
  try {
    const text = textOf(value)
    if (text !== undefined) shown = isDigits(text) ? intFromText(text) : float(floatFromText(text))
    return fromTimestamp(shown)
  } catch (error) {
    if (!(error instanceof PyError)) throw error
    throw new PyError('RuntimeError', `Unable to parse ${str(shown)}. Consider installing timelib`)
  }
}

const isDigits = (text: string): boolean => /^\p{Nd}+$/u.test(text)
