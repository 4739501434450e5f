// The proleptic Gregorian calendar; like Python, days are counted from 1 January of year 1 (ordinal 1).

/** The ordinal of 1 January 1970. */
const EPOCH = 719163
const DAY_MS = 86_400_000

export function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

export function ordinalOf(year: number, month: number, day: number): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getTime() / DAY_MS + EPOCH
}

export function dateOf(ordinal: number): [year: number, month: number, day: number] {
  const date = new Date((ordinal - EPOCH) * DAY_MS)
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
}

/** 0 for Monday to 6 for Sunday. */
export function weekdayOf(ordinal: number): number {
  return (((ordinal - 1) % 7) + 7) % 7
}

/** 1 for 1 January. */
export function dayOfYear(year: number, month: number, day: number): number {
  return ordinalOf(year, month, day) - ordinalOf(year, 1, 1) + 1
}

/** ISO 8601: a week belongs to the year that has its Thursday. */
export function isoWeekOf(ordinal: number): { year: number; week: number; weekday: number } {
  const weekday = weekdayOf(ordinal) + 1
  const thursday = ordinal + 4 - weekday
  const [year] = dateOf(thursday)
  return { year, week: Math.floor((thursday - ordinalOf(year, 1, 1)) / 7) + 1, weekday }
}
