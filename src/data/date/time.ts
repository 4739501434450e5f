// Python's `datetime.time`, and the clock half of a datetime.
import { typeError, valueError } from '../errors.ts'
import { PyObject, type Value } from '../value.ts'
import { strftime } from './strftime.ts'
import { PyTimedelta } from './timedelta.ts'
import { offsetText, PyTimezone } from './zone.ts'

export interface TimeOfDay {
  hour: number
  minute: number
  second: number
  microsecond: number
  /** Seconds east of UTC; undefined for a time of no zone. */
  offset: number | undefined
}

const pad = (n: number, width = 2): string => String(n).padStart(width, '0')

export function assertTime({ hour, minute, second, microsecond, offset }: TimeOfDay): void {
  if (hour < 0 || hour > 23) throw valueError('hour must be in 0..23')
  if (minute < 0 || minute > 59) throw valueError('minute must be in 0..59')
  if (second < 0 || second > 59) throw valueError('second must be in 0..59')
  if (microsecond < 0 || microsecond > 999999) throw valueError('microsecond must be in 0..999999')
  if (offset !== undefined && Math.abs(offset) >= 86400) {
    throw valueError(
      'offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24), ' +
        `not ${PyTimedelta.ofSeconds(offset).repr()}.`,
    )
  }
}

/** The precision of `isoformat`. */
export type Timespec = 'auto' | 'hours' | 'minutes' | 'seconds' | 'milliseconds' | 'microseconds'

export function clockText({ hour, minute, second, microsecond, offset }: TimeOfDay, spec = 'auto'): string {
  const zone = offset === undefined ? '' : offsetText(offset)
  switch (spec as Timespec) {
    case 'hours':
      return pad(hour) + zone
    case 'minutes':
      return `${pad(hour)}:${pad(minute)}${zone}`
    case 'seconds':
      return `${pad(hour)}:${pad(minute)}:${pad(second)}${zone}`
    case 'milliseconds':
      return `${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(Math.floor(microsecond / 1000), 3)}${zone}`
    case 'microseconds':
      return `${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(microsecond, 6)}${zone}`
    case 'auto':
      return clockText({ hour, minute, second, microsecond, offset }, microsecond === 0 ? 'seconds' : 'microseconds')
    default:
      throw valueError('Unknown timespec value')
  }
}

/** Return the fields as in Python's repr: trailing zeros are omitted. */
export function clockArguments({ hour, minute, second, microsecond, offset }: TimeOfDay): string[] {
  const fields = [hour, minute]
  if (second !== 0 || microsecond !== 0) fields.push(second)
  if (microsecond !== 0) fields.push(microsecond)
  return [...fields.map(String), ...(offset === undefined ? [] : [`tzinfo=${new PyTimezone(offset).repr()}`])]
}

/** `hour`, `minute`, `second`, `microsecond`, `tzinfo`, `fold`. */
export function clockAttribute(time: TimeOfDay, name: string): Value | undefined {
  switch (name) {
    case 'hour':
    case 'minute':
    case 'second':
    case 'microsecond':
      return time[name]
    case 'tzinfo':
      return time.offset === undefined ? null : new PyTimezone(time.offset)
    case 'fold':
      return 0
    default:
      return undefined
  }
}

export const CLOCK_ATTRIBUTES = ['hour', 'minute', 'second', 'microsecond', 'tzinfo', 'fold']

const micros = ({ hour, minute, second, microsecond, offset = 0 }: TimeOfDay): number =>
  (hour * 3600 + minute * 60 + second - offset) * 1e6 + microsecond

export class PyTime extends PyObject {
  readonly typeName = 'datetime.time'
  readonly time: TimeOfDay

  constructor(time: TimeOfDay) {
    super()
    assertTime(time)
    this.time = time
  }

  override str(): string {
    return clockText(this.time)
  }

  override repr(): string {
    return `datetime.time(${clockArguments(this.time).join(', ')})`
  }

  override format(spec: string): string {
    return spec === '' ? this.str() : this.strftime(spec)
  }

  strftime(format: string): string {
    return strftime(format, { year: 1900, month: 1, day: 1, ...this.time })
  }

  override equals(other: Value): boolean {
    if (!(other instanceof PyTime)) return false
    return (
      (this.time.offset === undefined) === (other.time.offset === undefined) && micros(this.time) === micros(other.time)
    )
  }

  override compare(other: Value): number | undefined {
    if (!(other instanceof PyTime)) return undefined
    if ((this.time.offset === undefined) !== (other.time.offset === undefined)) {
      throw typeError("can't compare offset-naive and offset-aware times")
    }
    return Math.sign(micros(this.time) - micros(other.time))
  }

  override getAttr(name: string): Value | undefined {
    return clockAttribute(this.time, name)
  }

  override attrNames(): string[] {
    return CLOCK_ATTRIBUTES
  }
}
