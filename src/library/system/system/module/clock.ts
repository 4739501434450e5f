// Date and time of the machine, in local time or at an offset from UTC (`+0200`).
import { failure, misuse } from '../../../../data/mod.ts'
import { type FunctionContext, runAll } from '../../../../sdk/mod.ts'

/** A wall clock: the shifted UTC fields of `at`. */
export interface Wall {
  at: Date
  /** Minutes from UTC, or undefined for local time. */
  offset: number | undefined
}

function minutesOf(offset: string): number {
  const found = /^([+-])?(\d\d)(\d\d)$/.exec(offset)
  if (!found) throw misuse('Invalid UTC offset')
  return (found[1] === '-' ? -1 : 1) * (Number(found[2]) * 60 + Number(found[3]))
}

export function wallClock(ctx: FunctionContext, offset: string | null): Wall {
  const now = new Date(ctx.host.now() * 1000)
  if (offset === null) return { at: new Date(now.getTime() - now.getTimezoneOffset() * 60_000), offset: undefined }
  const minutes = minutesOf(offset)
  return { at: new Date(now.getTime() + minutes * 60_000), offset: minutes }
}

const two = (value: number): string => String(value).padStart(2, '0')
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

export const timeText = ({ at }: Wall): string => {
  const hour = at.getUTCHours()
  const shown = `${two(hour % 12 || 12)}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`
  return `${shown} ${hour < 12 ? 'AM' : 'PM'}`
}

export const dateText = ({ at }: Wall): string =>
  `${DAYS[at.getUTCDay()]} ${two(at.getUTCMonth() + 1)}/${two(at.getUTCDate())}/${at.getUTCFullYear()}`

export const dateTimeText = ({ at }: Wall): string => at.toISOString().slice(0, 19).replace('T', ' ')

export interface Fields {
  years: number | null
  months: number | null
  days: number | null
  hours: number | null
  minutes: number | null
  seconds: number | null
}

/** Parse a time; undefined if the text is invalid. */
export function parseClock(text: string): Pick<Fields, 'hours' | 'minutes' | 'seconds'> | undefined {
  const found = /^(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?:\s+([ap]m))?$/i.exec(text)
  if (!found) return undefined
  const [hour, minutes, seconds] = [Number(found[1]), Number(found[2]), Number(found[3] ?? 0)]
  const half = found[4]?.toLowerCase()
  const isValid = half === undefined ? hour < 24 : hour >= 1 && hour <= 12
  if (!isValid || minutes > 59 || seconds > 61) return undefined
  const hours = half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)
  return { hours, minutes, seconds }
}

/** Parse a date, in any order that Salt accepts. */
export function parseDay(text: string): Pick<Fields, 'years' | 'months' | 'days'> | undefined {
  const mark = text.includes('/') ? '/' : '-'
  const parts = text.split(mark)
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,4}$/.test(part))) return undefined
  const isYearFirst = parts[0]?.length === 4
  const [year = '', month = '', day = ''] = isYearFirst ? parts : [parts[2], parts[0], parts[1]]
  if (year.length !== 4 && (isYearFirst || year.length !== 2)) return undefined
  const short = Number(year)
  const years = year.length === 4 ? short : short < 69 ? 2000 + short : 1900 + short
  const [months, days] = [Number(month), Number(day)]
  const isReal = months >= 1 && months <= 12 && days >= 1 && days <= new Date(Date.UTC(years, months, 0)).getUTCDate()
  return isReal ? { years, months, days } : undefined
}

export async function hasHardwareClock(ctx: FunctionContext): Promise<boolean> {
  if ((await ctx.host.which('hwclock')) === undefined) return false
  const quiet = { output_loglevel: 'quiet', ignore_retcode: true }
  return (await runAll(ctx, ['hwclock', '--test', '--systohc'], quiet)).retcode === 0
}

export async function setClock(ctx: FunctionContext, fields: Fields, offset: string | null): Promise<true> {
  const { at, offset: minutes } = wallClock(ctx, offset)
  const wanted = new Date(
    Date.UTC(
      fields.years ?? at.getUTCFullYear(),
      (fields.months ?? at.getUTCMonth() + 1) - 1,
      fields.days ?? at.getUTCDate(),
      fields.hours ?? at.getUTCHours(),
      fields.minutes ?? at.getUTCMinutes(),
      fields.seconds ?? at.getUTCSeconds(),
    ),
  )
  const target = minutes === undefined ? wanted : new Date(wanted.getTime() - minutes * 60_000)
  const date = minutes === undefined ? ['date'] : ['date', '-u']
  const day = two(target.getUTCMonth() + 1) + two(target.getUTCDate())
  const stamp = `${day}${two(target.getUTCHours())}${two(target.getUTCMinutes())}${target.getUTCFullYear()}`
  const first = await runAll(ctx, [...date, `${stamp}.${two(target.getUTCSeconds())}`])
  // a POSIX date command takes no seconds
  if (first.retcode !== 0 && (await runAll(ctx, [...date, ` ${stamp}`])).retcode !== 0) {
    throw failure(`date failed: ${first.stderr}`)
  }
  if (await hasHardwareClock(ctx)) {
    const { retcode, stderr } = await runAll(ctx, ['hwclock', '--systohc'])
    if (retcode !== 0) ctx.log('warning', `hwclock failed to set hardware clock from software clock: ${stderr}`)
  }
  return true
}
