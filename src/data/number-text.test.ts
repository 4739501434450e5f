import { describe, expect, it } from 'vitest'
import { floatFromText, intFromText } from './number-text.ts'

describe('intFromText', () => {
  it.each<[string, number, number | bigint]>([
    [' -12 ', 10, -12],
    ['1_000', 10, 1000],
    ['-0', 10, 0],
    ['٣', 10, 3],
    ['𝟘𝟛', 10, 3],
    ['99999999999999999999', 10, 99999999999999999999n],
    ['0x_1F', 16, 31],
    ['0b1', 16, 0xb1],
    ['0o17', 0, 15],
    ['zz', 36, 1295],
  ])('reads %j in base %i', (text, base, expected) => {
    expect(intFromText(text, base)).toBe(expected)
  })

  it.each<[string, number, string]>([
    ['a', 10, "invalid literal for int() with base 10: 'a'"],
    ['1__0', 10, "invalid literal for int() with base 10: '1__0'"],
    ['010', 0, "invalid literal for int() with base 0: '010'"],
    ['1', 1, 'int() base must be >= 2 and <= 36, or 0'],
    [
      '1'.repeat(4301),
      10,
      'Exceeds the limit (4300 digits) for integer string conversion: value has 4301 digits; ' +
        'use sys.set_int_max_str_digits() to increase the limit',
    ],
  ])('refuses %j in base %i', (text, base, message) => {
    expect(() => intFromText(text, base)).toThrow(message)
  })
})

describe('floatFromText', () => {
  it.each([
    ['1_0.5e-1', 1.05],
    ['.5', 0.5],
    [' 5. ', 5],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['nan', Number.NaN],
  ])('reads %j', (text, expected) => {
    expect(floatFromText(text)).toBe(expected)
  })

  it.each([['1e'], ['.'], ['1__0'], ['']])('refuses %j', (text) => {
    expect(() => floatFromText(text)).toThrow(`could not convert string to float: '${text}'`)
  })
})
