import { describe, expect, it } from 'vitest'
import { Float, tuple, type Value } from '../value.ts'
import { formatPercent } from './percent.ts'

describe('formatPercent', () => {
  it.each<[string, Value, string]>([
    ['%s and %r', tuple(['a', 'é\n']), "a and 'é\\n'"],
    ['%a', 'é😀', "'\\xe9\\U0001f600'"],
    ['100%% %s', tuple([new Float(1)]), '100% 1.0'],
    ['%5d|%-5d|%05d|%+d|% d', tuple([3, 3, -3, 3, 3]), '    3|3    |-0003|+3| 3'],
    ['%5.3d|%#x|%#o|%X', tuple([7, 255, 8, 255]), '  007|0xff|0o10|FF'],
    ['%d', 1.9, '1'],
    ['%.2f %.0f %e', tuple([2.675, 2.5, 12345.678]), '2.67 2 1.234568e+04'],
    ['%g %g %#g %.3g', tuple([1e10, 0.0001, 1, 1234]), '1e+10 0.0001 1.00000 1.23e+03'],
    ['%F %05f', tuple([Number.POSITIVE_INFINITY, Number.NaN]), 'INF 00nan'],
    ['%.50f', 0.1, '0.10000000000000000555111512312578270211815834045410'],
    ['%*d|%-*d|%.*f', tuple([4, 1, 4, 1, 2, 3.14259]), '   1|1   |3.14'],
    ['%5.1s|%c%c', tuple(['abc', 65, '😀']), '    a|A😀'],
    [
      '%(a)s %(b(c))d',
      new Map<Value, Value>([
        ['a', [1]],
        ['b(c)', 2],
      ]),
      '[1] 2',
    ],
    ['%s', new Map([['a', 1]]), "{'a': 1}"],
    ['no field', new Map(), 'no field'],
  ])('%j %% %s is %j', (format, args, expected) => {
    expect(formatPercent(format, args)).toBe(expected)
  })

  it.each<[string, Value, string]>([
    ['%s %s', 1, 'not enough arguments for format string'],
    ['%s', tuple([1, 2]), 'not all arguments converted during string formatting'],
    ['%d', 'a', '%d format: a real number is required, not str'],
    ['%x', 1.5, '%x format: an integer is required, not float'],
    ['%f', null, 'must be real number, not NoneType'],
    ['%c', 'ab', '%c requires int or char'],
    ['%', 1, 'incomplete format'],
    ['%(a', new Map(), 'incomplete format key'],
    ['%(a)s', 5, 'format requires a mapping'],
    ['%(a)s', new Map(), "'a'"],
    ['x%z', 1, "unsupported format character 'z' (0x7a) at index 2"],
    ['%*d', tuple(['a', 1]), '* wants int'],
    ['%99999999999999999999d', 1, 'width too big'],
    ['%d', Number.NaN, 'cannot convert float NaN to integer'],
  ])('%j %% %s raises %s', (format, args, message) => {
    expect(() => formatPercent(format, args)).toThrow(message)
  })

  it('gives up on a field that would fill the memory', () => {
    expect(() => formatPercent('%9999999999d', 1)).toThrow(expect.objectContaining({ code: 'MemoryError' }))
  })
})
