import { describe, expect, test } from 'vitest'
import { compare, equals } from '../compare.ts'
import { repr, str } from '../repr.ts'
import { PyDate, PyDatetime } from './date.ts'

const at = (offset?: number, microsecond = 0) =>
  new PyDatetime(2020, 1, 2, { hour: 3, minute: 4, second: 5, microsecond, offset })

describe('dates', () => {
  test.each([
    [new PyDate(2020, 1, 2), '2020-01-02', 'datetime.date(2020, 1, 2)'],
    [at(), '2020-01-02 03:04:05', 'datetime.datetime(2020, 1, 2, 3, 4, 5)'],
    [
      at(0, 6),
      '2020-01-02 03:04:05.000006+00:00',
      'datetime.datetime(2020, 1, 2, 3, 4, 5, 6, tzinfo=datetime.timezone.utc)',
    ],
    [
      at(-12600),
      '2020-01-02 03:04:05-03:30',
      'datetime.datetime(2020, 1, 2, 3, 4, 5, tzinfo=datetime.timezone(datetime.timedelta(days=-1, seconds=73800)))',
    ],
  ])('%s has the texts of Python', (value, text, shown) => {
    expect(str(value)).toBe(text)
    expect(repr(value)).toBe(shown)
  })

  test.each([
    [0, 1, 1, 'year 0 is out of range'],
    [2020, 13, 1, 'month must be in 1..12'],
    [2021, 2, 29, 'day is out of range for month'],
  ])('%i-%i-%i is refused', (year, month, day, text) => {
    expect(() => new PyDate(year, month, day)).toThrow(text)
  })

  test('moments are compared across zones, and only with moments that have one', () => {
    expect(
      equals(at(3600), new PyDatetime(2020, 1, 2, { hour: 2, minute: 4, second: 5, microsecond: 0, offset: 0 })),
    ).toBe(true)
    expect(compare('<', new PyDate(2020, 1, 1), new PyDate(2020, 1, 2))).toBe(true)
    expect(() => compare('<', at(), at(0))).toThrow("can't compare offset-naive and offset-aware datetimes")
    expect(() => compare('<', at(), new PyDate(2020, 1, 1))).toThrow("can't compare datetime.datetime to datetime.date")
  })
})
