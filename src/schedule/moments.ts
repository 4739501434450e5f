// Parses times in schedules: dates, times of day and weekdays in the orders that dateutil reads, in local time. Missing
// parts are those of today; a weekday is its next occurrence, today included.
import { decodeBytes, PyDatetime, parseTime, str, type Value } from '../data/mod.ts'

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const MONTHS = 'january february march april may june july august september october november december'.split(' ')
const IGNORED = new Set('at on and ad of st nd rd th t'.split(' '))

interface Parts {
  year?: number | undefined
  month?: number | undefined
  day?: number | undefined
  weekday?: number | undefined
  hour?: number | undefined
  minute?: number | undefined
  second?: number | undefined
  afternoon?: boolean | undefined
  utc?: boolean | undefined
  /** Numbers without a unit, whose meaning depends on their position. */
  loose: number[]
}

const startsWith = (names: readonly string[], word: string): number =>
  word.length < 3 ? -1 : names.findIndex((name) => name.startsWith(word))

/** Return the time in milliseconds; undefined if the text contains none. */
export function momentOf(value: Value, now: number): number | undefined {
  if (value instanceof PyDatetime) return localOf(value)
  if (value instanceof Uint8Array) return momentOf(decodeBytes(value), now)
  if (typeof value === 'number') return momentOf(str(value), now)
  if (typeof value !== 'string') return undefined
  const parts = readParts(value)
  return parts && complete(parts, now)
}

/** Return the time in a text with a strptime format. */
export function formattedMoment(value: Value, format: string): number | undefined {
  if (value instanceof PyDatetime) return localOf(value)
  const parsed = typeof value === 'string' ? parseTime(value, format) : undefined
  if (parsed === undefined) return undefined
  // a wall clock's reading, which has no zone
  const wall = new Date(parsed.epoch * 1000)
  const date = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()] as const
  return new Date(...date, wall.getUTCHours(), wall.getUTCMinutes(), wall.getUTCSeconds()).getTime()
}

/** Return a datetime without time zone. */
export function datetimeOf(moment: number): PyDatetime {
  const date = new Date(moment)
  return new PyDatetime(date.getFullYear(), date.getMonth() + 1, date.getDate(), {
    hour: date.getHours(),
    minute: date.getMinutes(),
    second: date.getSeconds(),
    microsecond: date.getMilliseconds() * 1000,
    offset: undefined,
  })
}

const localOf = ({ year, month, day, time }: PyDatetime): number =>
  new Date(year, month - 1, day, time.hour, time.minute, time.second, time.microsecond / 1000).getTime()

function readParts(text: string): Parts | undefined {
  const parts: Parts = { loose: [] }
  const tokens = text.match(/\d{4}-\d{1,2}-\d{1,2}|\d+(?:[:/.]\d+)*|[A-Za-z]+|[^\s\w]/g) ?? []
  if (tokens.length === 0) return undefined
  for (const [index, token] of tokens.entries()) {
    if (!readToken(parts, token.toLowerCase(), tokens[index + 1]?.toLowerCase())) return undefined
  }
  return parts
}

function readToken(parts: Parts, token: string, next: string | undefined): boolean {
  if (/^\d/.test(token)) return readNumber(parts, token, next)
  if (/^[-.,;/'+]$/.test(token) || IGNORED.has(token)) return true
  if (['am', 'a', 'pm', 'p'].includes(token)) {
    parts.afternoon = token.startsWith('p')
    return true
  }
  if (['utc', 'gmt', 'z'].includes(token)) {
    parts.utc = true
    return true
  }
  const weekday = startsWith(WEEKDAYS, token)
  if (weekday >= 0) parts.weekday = weekday
  const month = startsWith(MONTHS, token)
  if (month >= 0) parts.month = month + 1
  return weekday >= 0 || month >= 0
}

function readNumber(parts: Parts, token: string, next: string | undefined): boolean {
  const numbers = token.split(/[-:/.]/).map(Number)
  if (token.includes(':')) {
    ;[parts.hour, parts.minute, parts.second] = numbers
    return parts.hour! < 24 && (parts.minute ?? 0) < 60 && (parts.second ?? 0) < 60
  }
  if (/^\d{4}[-/]/.test(token)) {
    ;[parts.year, parts.month, parts.day] = numbers
    return true
  }
  if (/[-/.]/.test(token)) {
    ;[parts.month, parts.day, parts.year] = numbers
    return true
  }
  if (/^\d{8}$/.test(token)) {
    parts.year = Number(token.slice(0, 4))
    parts.month = Number(token.slice(4, 6))
    parts.day = Number(token.slice(6))
    return true
  }
  if (next !== undefined && ['am', 'pm', 'a', 'p'].includes(next)) parts.hour = numbers[0]!
  else parts.loose.push(numbers[0]!)
  return true
}

function complete(parts: Parts, now: number): number | undefined {
  for (const number of parts.loose) {
    if (number > 31) parts.year = number < 100 ? 2000 + number : number
    else if (parts.day === undefined) parts.day = number
    else return undefined
  }
  const today = new Date(now)
  const [year, month, day] = [
    parts.year ?? today.getFullYear(),
    parts.month ?? today.getMonth() + 1,
    parts.day ?? today.getDate(),
  ]
  if (month < 1 || month > 12 || day < 1 || day > new Date(year, month, 0).getDate()) return undefined
  const hour = hourOf(parts)
  const clock = [hour, parts.minute ?? 0, parts.second ?? 0] as const
  const date = new Date(year, month - 1, day, ...clock)
  if (parts.weekday !== undefined && parts.day === undefined) {
    date.setDate(date.getDate() + ((parts.weekday - date.getDay() + 7) % 7))
  }
  if (!parts.utc) return date.getTime()
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate(), ...clock)
}

function hourOf({ hour = 0, afternoon }: Parts): number {
  if (afternoon === undefined) return hour
  return (hour % 12) + (afternoon ? 12 : 0)
}
