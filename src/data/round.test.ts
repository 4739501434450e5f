import { expect, test } from 'vitest'
import { repr } from './repr.ts'
import { fixedText, round } from './round.ts'
import { Float, type Value } from './value.ts'

test.each<[Value, Value, string]>([
  [2.5, 0, '2.0'],
  [3.5, 0, '4.0'],
  [2.675, 2, '2.67'],
  [2.5, null, '2'],
  [new Float(1e22), null, '10000000000000000000000'],
  [15, -1, '20'],
  [25, -1, '20'],
  [true, 0, '1'],
  [new Float(-0), 1, '-0.0'],
  [Number.POSITIVE_INFINITY, 1, 'inf'],
])('round(%s, %s) is %s', (value, digits, result) => {
  expect(repr(round(value, digits))).toBe(result)
})

test('round refuses values without rounding', () => {
  expect(() => round('a', 0)).toThrow("type str doesn't define __round__ method")
  expect(() => round(1.5, 'a')).toThrow("'str' object cannot be interpreted as an integer")
  expect(() => round(Number.NaN, null)).toThrow('cannot convert float NaN to integer')
})

test.each([
  [0.25, 1, '0.2'],
  [0.35, 1, '0.3'],
  [-0, 1, '-0.0'],
  [1e22, 0, '10000000000000000000000'],
])('fixedText prints %s with %d places as %s', (n, places, text) => {
  expect(fixedText(n, places)).toBe(text)
})
