import { describe, expect, it } from 'vitest'
import { getItem } from '../subscript.ts'
import { Float, type Value } from '../value.ts'
import { format } from './spec.ts'
import { formatTemplate } from './str-format.ts'

const named: Map<Value, Value> = new Map<Value, Value>([
  ['a', 1],
  ['list', [1, [2, 3]]],
  ['w', 5],
])

const fill = (template: string, ...positional: Value[]): string =>
  formatTemplate(template, {
    positional,
    named: (name) => getItem(named, name),
    getAttr: (object, name) => `${object}.${name}`,
    getItem,
  })

describe('formatTemplate', () => {
  it.each<[string, Value[], string]>([
    ['{} {} {{}}', [1, 'b'], '1 b {}'],
    ['{1}{0}', ['x', 'y'], 'yx'],
    ['{a} {list[1][0]} {a.real}', [], '1 2 1.real'],
    ['{!r:>5} {!s} {!a}', ['x', 1, 'é'], "  'x' 1 '\\xe9'"],
    ['{:>{w}}|{:{}}|', [1, 2, 4], '    1|   2|'],
    [
      '{0[k]} {0[0]}',
      [
        new Map<Value, Value>([
          ['k', 'v'],
          [0, 'z'],
        ]),
      ],
      'v z',
    ],
  ])('%j with %j is %j', (template, args, expected) => {
    expect(fill(template, ...args)).toBe(expected)
  })

  it.each<[string, Value[], string]>([
    ['{', [], "Single '{' encountered in format string"],
    ['a}b', [], "Single '}' encountered in format string"],
    ['{0', [1], "expected '}' before end of string"],
    ['{0!rx}', [1], "expected ':' after conversion specifier"],
    ['{0:{1}', [1], "unmatched '{' in format spec"],
    ['{0!z}', [1], 'Unknown conversion specifier z'],
    ['{a[]}', [], 'Empty attribute in format string'],
    ['{list[0]c}', [], "Only '.' or '[' may follow ']' in format field specifier"],
    ['{} {0}', [1], 'cannot switch from manual field specification to automatic field numbering'],
    ['{} {}', [1], 'tuple index out of range'],
    ['{b}', [], "'b'"],
    ['{:{:{}}}', [1, 2, 3], 'Max string recursion exceeded'],
  ])('%j with %j raises %s', (template, args, message) => {
    expect(() => fill(template, ...args)).toThrow(message)
  })
})

describe('format', () => {
  it.each<[Value, string, string]>([
    ['abc', '*^9.2', '***ab****'],
    [1234567, ',', '1,234,567'],
    [-5, '=+06', '-00005'],
    [1234, '010,', '00,001,234'],
    [255, '#010_x', '0x000_00ff'],
    [65, 'c', 'A'],
    [true, 'd', '1'],
    [5, '.1%', '500.0%'],
    [2.675, '.2f', '2.67'],
    [123456.5, ',', '123,456.5'],
    [new Float(1e20), ',', '1e+20'],
    [123.456, '.3', '1.23e+02'],
    [-0.001, 'z.1f', '0.0'],
    [Number.NaN, '>6', '   nan'],
  ])('%s in %j is %j', (value, spec, expected) => {
    expect(format(value, spec)).toBe(expected)
  })

  it.each<[Value, string, string]>([
    ['a', 'd', "Unknown format code 'd' for object of type 'str'"],
    ['a', '=5', "'=' alignment not allowed in string format specifier"],
    [1, '.2', 'Precision not allowed in integer format specifier'],
    [1, ',_', "Cannot specify both ',' and '_'."],
    [1, ',x', "Cannot specify ',' with 'x'."],
    [1.5, '5dd', "Invalid format specifier '5dd' for object of type 'float'"],
    [null, '5', 'unsupported format string passed to NoneType.__format__'],
  ])('%s in %j raises %s', (value, spec, message) => {
    expect(() => format(value, spec)).toThrow(message)
  })
})
