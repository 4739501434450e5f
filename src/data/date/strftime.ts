// strftime in the C locale like glibc, with Python's additions: %f, and %z and %Z from the value's own zone. A field is
// %, flags (_ - 0 ^ #), a width, a modifier (E or O) and a letter; other text is unchanged.
import { dayOfYear, isoWeekOf, ordinalOf, weekdayOf } from './calendar.ts'
import { offsetText, zoneName } from './zone.ts'

export interface CalendarMoment {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  microsecond: number
  /** Seconds east of UTC; undefined for a moment of no zone. */
  offset: number | undefined
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
]

const FIELD = /%(?:([zZf])|([_\-0^#]*)(\d*)([EO]?)(.?))/gsu

export function strftime(format: string, moment: CalendarMoment): string {
  // the C function ends at a NUL
  const text = format.split('\0', 1)[0]!
  return text.replace(FIELD, (raw, own, flags, width, modifier, letter) => {
    if (own !== undefined) return ownField(own, moment)
    const refused = modifier !== '' && (modifier === 'E' ? NOT_WITH_E : NOT_WITH_O).includes(letter)
    return field(moment, raw, flags, width, refused ? '' : letter)
  })
}

/** The letters that refuse a modifier; with the others it changes nothing in the C locale. */
const NOT_WITH_E = 'aAwdbBmHIMSfjUWGVDeFhklg'
const NOT_WITH_O = 'aAYfcxXDF'

function ownField(letter: string, { microsecond, offset }: CalendarMoment): string {
  if (letter === 'f') return String(microsecond).padStart(6, '0')
  if (offset === undefined) return ''
  return letter === 'z' ? offsetText(offset, '') : zoneName(offset)
}

function field(moment: CalendarMoment, raw: string, flags: string, widthText: string, letter: string): string {
  if (letter === 'z') return ''
  const width = Math.min(Number(widthText), 4096)
  const value = letter === '' ? undefined : fieldValue(moment, letter)
  if (value === undefined) {
    const shown = flags.includes('^') ? raw.toUpperCase() : raw
    return shown.padStart(width, flags.includes('0') ? '0' : ' ')
  }
  // of several padding flags the last counts
  const padding = flags.replace(/[\^#]/g, '').at(-1)
  if (typeof value === 'string') {
    const text = cased(value, letter, flags)
    return text.padStart(width, padding === '0' ? '0' : ' ')
  }
  const fill = padding === '_' ? ' ' : padding === '0' ? '0' : value.fill
  const digits = String(Math.abs(value.number)).padStart(padding === '-' ? 1 : value.digits, fill)
  const signed = value.number < 0 ? `-${digits}` : digits
  return signed.padStart(width, padding === '-' ? ' ' : fill)
}

function cased(text: string, letter: string, flags: string): string {
  if (letter === 'P') return text
  if (flags.includes('#')) {
    if (letter === 'p') return text.toLowerCase()
    if ('aAbBh'.includes(letter)) return text.toUpperCase()
  }
  return flags.includes('^') ? text.toUpperCase() : text
}

interface NumberField {
  number: number
  digits: number
  fill: '0' | ' '
}

const number = (n: number, digits = 2, fill: '0' | ' ' = '0'): NumberField => ({ number: n, digits, fill })

const hour12 = (hour: number): number => hour % 12 || 12

/** The text or number of a letter, or undefined when it is no field. */
function fieldValue(moment: CalendarMoment, letter: string): string | NumberField | undefined {
  const { year, month, day, hour, minute, second } = moment
  switch (letter) {
    case 'Y':
      return number(year, 1)
    case 'y':
      return number(year % 100)
    case 'C':
      return number(Math.floor(year / 100), 1)
    case 'm':
      return number(month)
    case 'd':
      return number(day)
    case 'e':
      return number(day, 2, ' ')
    case 'H':
      return number(hour)
    case 'k':
      return number(hour, 2, ' ')
    case 'I':
      return number(hour12(hour))
    case 'l':
      return number(hour12(hour), 2, ' ')
    case 'M':
      return number(minute)
    case 'S':
      return number(second)
    case 's':
      return String(localSeconds(moment))
    default:
      return weekField(moment, letter) ?? textField(moment, letter)
  }
}

function weekField({ year, month, day }: CalendarMoment, letter: string): NumberField | undefined {
  const ordinal = ordinalOf(year, month, day)
  const monday = weekdayOf(ordinal)
  const sunday = (monday + 1) % 7
  const yearDay = dayOfYear(year, month, day)
  switch (letter) {
    case 'j':
      return number(yearDay, 3)
    case 'u':
      return number(monday + 1, 1)
    case 'w':
      return number(sunday, 1)
    case 'U':
      return number(Math.floor((yearDay + 6 - sunday) / 7))
    case 'W':
      return number(Math.floor((yearDay + 6 - monday) / 7))
    case 'V':
      return number(isoWeekOf(ordinal).week)
    case 'G':
      return number(isoWeekOf(ordinal).year, 1)
    case 'g':
      return number(isoWeekOf(ordinal).year % 100)
    default:
      return undefined
  }
}

const COMPOSITES: Record<string, string> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  r: '%I:%M:%S %p',
  R: '%H:%M',
  T: '%H:%M:%S',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
}

function textField(moment: CalendarMoment, letter: string): string | undefined {
  const { year, month, day, hour } = moment
  const weekday = DAYS[weekdayOf(ordinalOf(year, month, day))]!
  switch (letter) {
    case 'a':
      return weekday.slice(0, 3)
    case 'A':
      return weekday
    case 'b':
    case 'h':
      return MONTHS[month - 1]!.slice(0, 3)
    case 'B':
      return MONTHS[month - 1]!
    case 'p':
      return hour < 12 ? 'AM' : 'PM'
    case 'P':
      return hour < 12 ? 'am' : 'pm'
    case 'n':
      return '\n'
    case 't':
      return '\t'
    case '%':
      return '%'
    case 'Z':
      // with flags or a width it reaches the C function, which knows no zone
      return ''
    default: {
      const composite = COMPOSITES[letter]
      return composite === undefined ? undefined : strftime(composite, moment)
    }
  }
}

/** Return seconds since 1970 for local clock time in the zone of the process, like mktime(). */
function localSeconds({ year, month, day, hour, minute, second }: CalendarMoment): number {
  const date = new Date(2000, 0, 1, hour, minute, second)
  date.setFullYear(year, month - 1, day)
  return date.getTime() / 1000
}
