// Dates in free form: `2002/12/25`, `8 March 2016 17:00`, `tomorrow`, `+2 weeks`. Salt parses these with timelib, which
// its packages contain; this file supports the forms in its manual and in users' files. Time zones are parsed and
// ignored.
import { recover } from '../../base/mod.ts'
import { localDatetime, PyDatetime, PyError } from '../../data/mod.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

type Day = [year: number, month: number, day: number]

const monthNumber = (name: string): number => MONTHS.indexOf(name.slice(0, 3)) + 1

/** A form at the text's start, and how it names year, month and day. */
const FORMS: ReadonlyArray<readonly [RegExp, (parts: string[]) => Day]> = [
  [/^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/, ([y, m, d]) => [Number(y), Number(m), Number(d)]],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{4})(?!\d)/, ([m, d, y]) => [Number(y), Number(m), Number(d)]],
  [/^(\d{1,2})[-.](\d{1,2})[-.](\d{4})(?!\d)/, ([d, m, y]) => [Number(y), Number(m), Number(d)]],
  [
    /^(?:[a-z]{3,9},?\s+)?(\d{1,2})(?:st|nd|rd|th)?[\s-]+([a-z]{3,9})\.?[\s,-]+(\d{4})(?!\d)/,
    ([d, m, y]) => [Number(y), monthNumber(m!), Number(d)],
  ],
  [
    /^([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/,
    ([m, d, y]) => [Number(y), monthNumber(m!), Number(d)],
  ],
]

const CLOCK =
  /^(?:t|\s)\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?\s*([ap]m)?\s*(?:z|utc|gmt|[+-]\d{2}:?\d{2})?$/

/** The time of day that follows a date; midnight when nothing does. */
function clock(text: string): number[] | undefined {
  if (text.trim() === '') return [0, 0, 0, 0]
  const match = CLOCK.exec(text)
  if (match === null) return undefined
  const [, hour, minute, second = '0', fraction = '0', half] = match
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  return [hours, Number(minute), Number(second), Number(fraction.padEnd(6, '0'))]
}

function assembled([year, month, day]: Day, time: number[] | undefined): PyDatetime | undefined {
  if (time === undefined) return undefined
  const [hour, minute, second, microsecond] = time as [number, number, number, number]
  return recover(
    (error) => error instanceof PyError && error.code === 'ValueError',
    undefined,
    () => new PyDatetime(year, month, day, { hour, minute, second, microsecond, offset: undefined }),
  )
}

/** Days from today, and the hour, of a word for a day. */
const WORDS: Readonly<Record<string, readonly [days: number, hour: number]>> = {
  today: [0, 0],
  midnight: [0, 0],
  noon: [0, 12],
  tomorrow: [1, 0],
  yesterday: [-1, 0],
}

const SHIFT = /^([+-]?\s*\d+|next|last|previous|a|an)\s*(sec|min|hour|day|week|fortnight|month|year)[a-z]*(\s+ago)?$/

/** The moment that far from now. */
function shifted(now: Date, amount: string, unit: string, ago: boolean): PyDatetime {
  const word = { next: 1, last: -1, previous: -1, a: 1, an: 1 }[amount]
  const count = (word ?? Number(amount.replace(/\s+/g, ''))) * (ago ? -1 : 1)
  const date = new Date(now)
  if (unit === 'sec') date.setSeconds(date.getSeconds() + count)
  else if (unit === 'min') date.setMinutes(date.getMinutes() + count)
  else if (unit === 'hour') date.setHours(date.getHours() + count)
  else if (unit === 'month') date.setMonth(date.getMonth() + count)
  else if (unit === 'year') date.setFullYear(date.getFullYear() + count)
  else date.setDate(date.getDate() + count * ({ week: 7, fortnight: 14 }[unit] ?? 1))
  return localDatetime(date, date.getMilliseconds() * 1000)
}

/** The local date and time the text means, or undefined when it is none we know. */
export function readDateText(text: string, now: Date): PyDatetime | undefined {
  const plain = text.trim().toLowerCase()
  if (plain === 'now') return localDatetime(now, now.getMilliseconds() * 1000)
  const word = Object.hasOwn(WORDS, plain) ? WORDS[plain] : undefined
  if (word !== undefined) {
    return localDatetime(new Date(now.getFullYear(), now.getMonth(), now.getDate() + word[0], word[1]), 0)
  }
  const shift = SHIFT.exec(plain)
  if (shift !== null) return shifted(now, shift[1]!, shift[2]!, shift[3] !== undefined)
  for (const [form, dayOf] of FORMS) {
    const match = form.exec(plain)
    if (match !== null) return assembled(dayOf(match.slice(1)), clock(plain.slice(match[0].length)))
  }
  return undefined
}
