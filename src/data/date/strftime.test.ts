import { expect, it } from 'vitest'
import { PyError } from '../errors.ts'
import { add, floordiv, mul, sub } from '../numbers.ts'
import { repr, str } from '../repr.ts'
import type { Value } from '../value.ts'
import { PyDate, PyDatetime } from './date.ts'
import { strftime } from './strftime.ts'
import { PyTimedelta } from './timedelta.ts'
import { castDate } from './timestamp.ts'

const moment = { year: 2016, month: 3, day: 8, hour: 17, minute: 7, second: 9, microsecond: 750, offset: undefined }

it.each([
  ['%Y-%m-%dT%H:%M:%S.%f', '2016-03-08T17:07:09.000750'],
  ['%A %B %j %U %W', 'Tuesday March 068 10 10'],
  ['%a %b %h %p %P %I %l %k %e', 'Tue Mar Mar PM pm 05  5 17  8'],
  [
    '%c|%x|%X|%D|%F|%r|%R|%T',
    'Tue Mar  8 17:07:09 2016|03/08/16|17:07:09|03/08/16|2016-03-08|05:07:09 PM|17:07|17:07:09',
  ],
  ['%G %g %V %u %w %C %y', '2016 16 10 2 2 20 16'],
  ['%-d %_d %0e %^a %#p %10Y %-I', '8  8 08 TUE pm 0000002016 5'],
  ['%z%Z|%n%t%%', '|\n\t%'],
  ['%Q %- %5 %', '%Q %-   %5 %'],
  ['%Ey %Od %Ed', '16 08 %Ed'],
])('strftime of %s is %s', (format, expected) => {
  expect(strftime(format, moment)).toBe(expected)
})

it('strftime shows the zone of a moment that has one', () => {
  expect(strftime('%z %Z', { ...moment, offset: 19800 })).toBe('+0530 UTC+05:30')
  expect(strftime('%z %Z', { ...moment, offset: 0 })).toBe('+0000 UTC')
})

it('dates and timedeltas add up', () => {
  const date = new PyDate(2016, 2, 28)
  const datetime = new PyDatetime(2016, 3, 8, { hour: 23, minute: 0, second: 0, microsecond: 0, offset: undefined })
  const delta = new PyTimedelta(90_000_000_000n + 5n)
  expect(str(delta)).toBe('1 day, 1:00:00.000005')
  expect(repr(add(date, delta))).toBe('datetime.date(2016, 2, 29)')
  expect(repr(add(delta, datetime))).toBe('datetime.datetime(2016, 3, 10, 0, 0, 0, 5)')
  expect(repr(sub(datetime, datetime))).toBe('datetime.timedelta(0)')
  expect(repr(mul(delta, 1.5))).toBe('datetime.timedelta(days=1, seconds=48600, microseconds=8)')
  expect(repr(floordiv(delta, PyTimedelta.ofSeconds(3600)))).toBe('25')
  expect(() => add(date, 1)).toThrow("unsupported operand type(s) for +: 'datetime.date' and 'int'")
  expect(() => sub(new PyDate(1, 1, 1), delta)).toThrow('date value out of range')
})

it.each<[Value, string]>([
  [1457456400, '1457456400'],
  ['1457456400.5', '1457456400'],
  [true, '1'],
])('castDate takes %s for seconds', (value, seconds) => {
  expect(castDate(value).strftime('%s')).toBe(seconds)
})

it('castDate reports text that it cannot parse', () => {
  expect(() => castDate('2002/12/25')).toThrow(
    new PyError('RuntimeError', 'Unable to parse 2002/12/25. Consider installing timelib'),
  )
  expect(castDate(null, new Date(0)).strftime('%s')).toBe('0')
})
