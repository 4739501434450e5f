// Python's `datetime.date` and `datetime.datetime`: the values of timestamps in data, with CPython's texts and range
// errors.
import { typeError, valueError } from './errors.ts'
import { PyObject, type Value } from './value.ts'

const DAY = 86400

const pad = (n: number, width = 2): string => String(n).padStart(width, '0')

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

export class PyDate extends PyObject {
  readonly typeName: string = 'datetime.date'
  readonly year: number
  readonly month: number
  readonly day: number

  constructor(year: number, month: number, day: number) {
    super()
    if (year < 1 || year > 9999) throw valueError(`year ${year} is out of range`)
    if (month < 1 || month > 12) throw valueError('month must be in 1..12')
    if (day < 1 || day > daysIn(year, month)) throw valueError('day is out of range for month')
    this.year = year
    this.month = month
    this.day = day
  }

  isoformat(): string {
    return `${pad(this.year, 4)}-${pad(this.month)}-${pad(this.day)}`
  }

  override str(): string {
    return this.isoformat()
  }

  override repr(): string {
    return `datetime.date(${this.year}, ${this.month}, ${this.day})`
  }

  override equals(other: Value): boolean {
    return other instanceof PyDate && !(other instanceof PyDatetime) && other.isoformat() === this.isoformat()
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PyDate)) return undefined
    if (other instanceof PyDatetime) throw typeError("can't compare datetime.datetime to datetime.date")
    return this.isoformat() < other.isoformat() ? -1 : this.isoformat() > other.isoformat() ? 1 : 0
  }
}

export interface TimeOfDay {
  hour: number
  minute: number
  second: number
  microsecond: number
  /** Seconds east of UTC; undefined for a time of no zone. */
  offset: number | undefined
}

export class PyDatetime extends PyDate {
  override readonly typeName = 'datetime.datetime'
  readonly time: TimeOfDay

  constructor(year: number, month: number, day: number, time: TimeOfDay) {
    super(year, month, day)
    assertTime(time)
    this.time = time
  }

  override isoformat(separator = 'T'): string {
    const { hour, minute, second, microsecond, offset } = this.time
    const fraction = microsecond === 0 ? '' : `.${pad(microsecond, 6)}`
    const clock = `${pad(hour)}:${pad(minute)}:${pad(second)}${fraction}`
    return `${super.isoformat()}${separator}${clock}${offset === undefined ? '' : offsetText(offset)}`
  }

  override str(): string {
    return this.isoformat(' ')
  }

  override repr(): string {
    const { hour, minute, second, microsecond, offset } = this.time
    const parts = [this.year, this.month, this.day, hour, minute]
    if (second !== 0 || microsecond !== 0) parts.push(second)
    if (microsecond !== 0) parts.push(microsecond)
    return `datetime.datetime(${parts.join(', ')}${offset === undefined ? '' : `, tzinfo=${zoneRepr(offset)}`})`
  }

  override equals(other: Value): boolean {
    if (!(other instanceof PyDatetime)) return false
    return (this.time.offset === undefined) === (other.time.offset === undefined) && this.instant() === other.instant()
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PyDate)) return undefined
    if (!(other instanceof PyDatetime)) throw typeError("can't compare datetime.datetime to datetime.date")
    if ((this.time.offset === undefined) !== (other.time.offset === undefined)) {
      throw typeError("can't compare offset-naive and offset-aware datetimes")
    }
    return Math.sign(this.instant() - other.instant())
  }

  /** Microseconds since year 1 or so: only for comparing. */
  private instant(): number {
    const { hour, minute, second, microsecond, offset = 0 } = this.time
    const date = new Date(0)
    date.setUTCFullYear(this.year, this.month - 1, this.day)
    return (date.getTime() / 1000 + hour * 3600 + minute * 60 + second - offset) * 1e6 + microsecond
  }
}

function assertTime({ hour, minute, second, offset }: TimeOfDay): void {
  if (hour < 0 || hour > 23) throw valueError('hour must be in 0..23')
  if (minute < 0 || minute > 59) throw valueError('minute must be in 0..59')
  if (second < 0 || second > 59) throw valueError('second must be in 0..59')
  if (offset !== undefined && Math.abs(offset) >= DAY) {
    throw valueError(
      'offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), ' +
        `not ${deltaRepr(offset)}.`,
    )
  }
}

function offsetText(offset: number): string {
  const size = Math.abs(offset)
  const seconds = size % 60 === 0 ? '' : `:${pad(size % 60)}`
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 3600))}:${pad(Math.floor(size / 60) % 60)}${seconds}`
}

const zoneRepr = (offset: number): string =>
  offset === 0 ? 'datetime.timezone.utc' : `datetime.timezone(${deltaRepr(offset)})`

/** A timedelta has seconds from 0 up, so a negative one has negative days. */
function deltaRepr(seconds: number): string {
  const days = Math.floor(seconds / DAY)
  const rest = seconds - days * DAY
  const parts = [...(days === 0 ? [] : [`days=${days}`]), ...(rest === 0 ? [] : [`seconds=${rest}`])]
  return `datetime.timedelta(${parts.join(', ') || '0'})`
}
