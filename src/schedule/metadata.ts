// Extra fields in the return of a scheduled job with `metadata`: when and where it ran.
import { type Dict, isDict, PyDatetime } from '../data/mod.ts'

/** Undefined without `metadata`. */
export function metadataOf(job: Dict): Dict | undefined {
  const metadata = job.get('metadata') ?? null
  if (!isDict(metadata)) return undefined
  const now = new Date()
  return new Map(metadata)
    .set('_TOS', offsetText(now))
    .set('_TS', asctime(now))
    .set('_TT', utcText(now, '%Y %B %d %a %H %m'))
}

const utcText = (now: Date, format: string): string =>
  new PyDatetime(now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate(), {
    hour: now.getUTCHours(),
    minute: now.getUTCMinutes(),
    second: now.getUTCSeconds(),
    microsecond: 0,
    offset: undefined,
  }).strftime(format)

function offsetText(now: Date): string {
  const minutes = -now.getTimezoneOffset()
  const text = (part: number): string => String(Math.floor(part)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${text(Math.abs(minutes) / 60)}${text(Math.abs(minutes) % 60)}`
}

/** Format local time like C's asctime. */
export function asctime(date: Date): string {
  const [weekday, month, day, year] = date.toDateString().split(' ') as [string, string, string, string]
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${date.toTimeString().slice(0, 8)} ${year}`
}
