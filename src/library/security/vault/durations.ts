// Durations in Vault's notation: seconds, or a number with `s`, `m`, `h` or `d`. Also the seconds of a point in time.
import { misuse } from '../../../data/mod.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Return the seconds of a duration such as `30`, `30s` or `1.5h`; undefined if it is invalid. */
export function readSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  const found = typeof value === 'string' ? /^(\d{1,12}(?:\.\d{1,6})?)([smhd]?)$/.exec(value.trim()) : null
  return found ? Number(found[1]) * UNITS[found[2] || 's']! : undefined
}

/** Return the seconds of a span that a caller gave. */
export function seconds(value: unknown): number {
  const read = readSeconds(value)
  if (read === undefined) throw misuse(`Invalid time string format: ${String(value)}`)
  return read
}

export const now = (): number => Date.now() / 1000

/** Return the seconds since the epoch of a point in time that Vault wrote; undefined for no point in time. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 0 ? value : undefined
  if (typeof value !== 'string' || value === '' || value.startsWith('0001-')) return undefined
  const read = /^\d+$/.test(value) ? Number(value) : Date.parse(value) / 1000
  return Number.isFinite(read) ? read : undefined
}
