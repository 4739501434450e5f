// Times of certificates: time strings such as 30d, and dates in UTC.
import { isNumeric, numberOf, PyError, repr, str, type Value } from '../../../../data/mod.ts'

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Return the seconds of a number or a text such as `1.5h`; null for null. */
export function secondsOf(value: Value): number | null {
  if (value === null) return null
  if (isNumeric(value)) return numberOf(value) ?? null
  if (typeof value !== 'string') throw new PyError('ValueError', 'Expected integer, float or time string')
  if (/^\s*[+-]?\d+(?:\.\d*)?\s*$/.test(value)) return Number(value)
  const match = /^(\d+(?:\.\d+)?)([smhd])$/.exec(value)
  if (match === null) throw new PyError('ValueError', `Invalid time string format: ${value}`)
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}

/** Return the seconds since 1970 of a date in UTC, such as `2030-01-31 12:00:00`. */
export function instantOf(value: Value): number {
  const text = str(value)
  const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN
  if (!Number.isNaN(time)) return time / 1000
  throw new PyError('ValueError', `time data ${repr(text)} does not match format '%Y-%m-%d %H:%M:%S'`)
}

/** The last second of the year 9999: later times have no date. */
const LAST = 253_402_300_799

/** Return a time as a date in UTC, or `forever`. */
export const timeText = (seconds: number): string =>
  seconds > LAST ? 'forever' : new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace('T', ' ')
