// The methods of date, datetime, time and timedelta.
import {
  dayOfYear,
  fromTimestamp,
  isoWeekOf,
  namedTuple,
  PyDate,
  PyDatetime,
  PyTime,
  PyTimedelta,
  PyTimezone,
  type TimeOfDay,
  textLength,
  textOf,
  timestampOf,
  typeError,
  typeName,
  type Value,
} from '../../data/mod.ts'
import { countArgument } from './arguments.ts'
import { type MethodSpec, method, methodTable } from './builtin.ts'

function formatArgument(format: Value): string {
  const text = textOf(format)
  if (text === undefined) throw typeError(`strftime() argument 1 must be str, not ${typeName(format)}`)
  return text
}

const STRUCT_FIELDS = [
  ...['tm_year', 'tm_mon', 'tm_mday', 'tm_hour', 'tm_min', 'tm_sec'],
  ...['tm_wday', 'tm_yday', 'tm_isdst'],
]

function structTime(date: PyDate, isDst: number): Value {
  const { year, month, day, hour, minute, second } = date.moment
  const clock = [year, month, day, hour, minute, second]
  return namedTuple('time.struct_time', STRUCT_FIELDS, [...clock, date.weekday, dayOfYear(year, month, day), isDst])
}

function inUtc(datetime: PyDatetime): PyDatetime {
  const { offset } = datetime.time
  return offset === undefined ? datetime : PyDatetime.fromWall(datetime.wall - BigInt(offset) * 1_000_000n, 0)
}

const number = (value: Value | undefined, before: number): number =>
  value === undefined ? before : countArgument(value)

const DATE: Record<string, MethodSpec> = {
  ctime: method('', (_rt, date: PyDate) => date.strftime('%a %b %e %H:%M:%S %Y')),
  fromordinal: method('ordinal', (_rt, _date, ordinal: Value) => PyDate.fromOrdinal(countArgument(ordinal))),
  isocalendar: method('', (_rt, date: PyDate) => {
    const { year, week, weekday } = isoWeekOf(date.ordinal)
    return namedTuple('datetime.IsoCalendarDate', ['year', 'week', 'weekday'], [year, week, weekday])
  }),
  isoformat: method('', (_rt, date: PyDate) => date.isoformat()),
  isoweekday: method('', (_rt, date: PyDate) => date.weekday + 1),
  replace: method(
    'year? month? day?',
    (_rt, date: PyDate, year?: Value, month?: Value, day?: Value) =>
      new PyDate(number(year, date.year), number(month, date.month), number(day, date.day)),
    'keywords',
  ),
  strftime: method('format', (_rt, date: PyDate, format: Value) => date.strftime(formatArgument(format)), 'keywords'),
  timetuple: method('', (_rt, date: PyDate) => structTime(date, -1)),
  toordinal: method('', (_rt, date: PyDate) => date.ordinal),
  weekday: method('', (_rt, date: PyDate) => date.weekday),
}

export const DATE_METHODS = methodTable('date', DATE)

function isoformat(datetime: PyDatetime, separator: Value = 'T', timespec: Value = 'auto'): string {
  const mark = textOf(separator)
  if (mark === undefined || textLength(mark) !== 1) {
    throw typeError(`isoformat() argument 1 must be a unicode character, not ${typeName(separator)}`)
  }
  const spec = textOf(timespec)
  if (spec === undefined) throw typeError(`isoformat() argument 2 must be str, not ${typeName(timespec)}`)
  return datetime.isoformat(mark, spec)
}

function zoneOffset(zone: Value): number | undefined {
  if (zone === null) return undefined
  if (zone instanceof PyTimezone) return zone.offset
  throw typeError(`tzinfo argument must be None or of a tzinfo subclass, not type '${typeName(zone)}'`)
}

function replace(datetime: PyDatetime, [year, month, day, ...clock]: (Value | undefined)[]): PyDatetime {
  const { time } = datetime
  const [hour, minute, second, microsecond, zone] = clock
  return new PyDatetime(number(year, datetime.year), number(month, datetime.month), number(day, datetime.day), {
    hour: number(hour, time.hour),
    minute: number(minute, time.minute),
    second: number(second, time.second),
    microsecond: number(microsecond, time.microsecond),
    offset: zone === undefined ? time.offset : zoneOffset(zone),
  })
}

const naive = (time: TimeOfDay): TimeOfDay => ({ ...time, offset: undefined })

export const DATETIME_METHODS = methodTable('datetime', {
  ...DATE,
  date: method('', (_rt, datetime: PyDatetime) => new PyDate(datetime.year, datetime.month, datetime.day)),
  dst: method('', () => null),
  fromtimestamp: method('timestamp', (_rt, _datetime, timestamp: Value) => fromTimestamp(timestamp), 'keywords'),
  isoformat: method('sep? timespec?', (_rt, datetime, sep, spec) => isoformat(datetime, sep, spec), 'keywords'),
  replace: method(
    'year? month? day? hour? minute? second? microsecond? tzinfo?',
    (_rt, datetime: PyDatetime, ...fields: (Value | undefined)[]) => replace(datetime, fields),
    'keywords',
  ),
  time: method('', (_rt, datetime: PyDatetime) => new PyTime(naive(datetime.time))),
  timestamp: method('', (_rt, datetime: PyDatetime) => timestampOf(datetime)),
  timetz: method('', (_rt, datetime: PyDatetime) => new PyTime(datetime.time)),
  tzname: method('', (_rt, { time }: PyDatetime) =>
    time.offset === undefined ? null : new PyTimezone(time.offset).str(),
  ),
  utcoffset: method('', (_rt, { time }: PyDatetime) =>
    time.offset === undefined ? null : PyTimedelta.ofSeconds(time.offset),
  ),
  utctimetuple: method('', (_rt, datetime: PyDatetime) => structTime(inUtc(datetime), 0)),
})

export const TIME_METHODS = methodTable('time', {
  isoformat: method('', (_rt, time: PyTime) => time.str()),
  strftime: method('format', (_rt, time: PyTime, format: Value) => time.strftime(formatArgument(format)), 'keywords'),
})

export const TIMEDELTA_METHODS = methodTable('timedelta', {
  total_seconds: method('', (_rt, delta: PyTimedelta) => delta.totalSeconds()),
})
