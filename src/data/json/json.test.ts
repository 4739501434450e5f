import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equals } from '../compare.ts'
import { repr, str } from '../repr.ts'
import { PySet } from '../set.ts'
import { Float, tuple, type Value } from '../value.ts'
import { type DumpJsonOptions, dumpJson, findJson, loadJson } from './mod.ts'

describe('loadJson', () => {
  it.each([
    ['{"b": 1, "a": 1.0, "2": [], "1": {}}', "{'b': 1, 'a': 1.0, '2': [], '1': {}}"],
    ['{"a": 1, "b": 2, "a": 3}', "{'a': 3, 'b': 2}"],
    ['[-0, -0.0, 1e2, 12345678901234567890, NaN, -Infinity]', '[0, -0.0, 100.0, 12345678901234567890, nan, -inf]'],
    ['"\\ud83d\\ude00\\u00e9\\/"', "'😀é/'"],
    [' \t\r\nnull ', 'None'],
    ['{"__proto__": true}', "{'__proto__': True}"],
  ])('reads %s', (text, expected) => {
    expect(repr(loadJson(text))).toBe(expected)
  })

  it.each([
    ['', 'Expecting value: line 1 column 1 (char 0)'],
    ['[', 'Expecting value: line 1 column 2 (char 1)'],
    ['[1,]', 'Expecting value: line 1 column 4 (char 3)'],
    ['[1 2]', "Expecting ',' delimiter: line 1 column 4 (char 3)"],
    ['{"a": 1,}', 'Expecting property name enclosed in double quotes: line 1 column 9 (char 8)'],
    ['{"a" 1}', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
    ['{\n  a: 1}', 'Expecting property name enclosed in double quotes: line 2 column 3 (char 4)'],
    ['"a', 'Unterminated string starting at: line 1 column 1 (char 0)'],
    ['"a\tb"', 'Invalid control character at: line 1 column 3 (char 2)'],
    ['"\\q"', 'Invalid \\escape: line 1 column 2 (char 1)'],
    ['"\\u12"', 'Invalid \\uXXXX escape: line 1 column 3 (char 2)'],
    ['01', 'Extra data: line 1 column 2 (char 1)'],
    ['"😀" x', 'Extra data: line 1 column 5 (char 4)'],
    ['\ufeff1', 'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)'],
  ])('refuses %j', (text, message) => {
    expect(() => loadJson(text)).toThrow(expect.objectContaining({ code: 'JSONDecodeError', message }))
  })

  it('reads bytes in the encodings JSON comes in', () => {
    for (const encoding of ['utf8', 'utf16le'] as const) expect(loadJson(Buffer.from('["é"]', encoding))).toEqual(['é'])
    expect(loadJson(Buffer.from('\ufeff[1]'))).toEqual([1])
  })

  it('does not overflow on deep nesting', () => {
    expect(() => loadJson('['.repeat(100_000))).toThrow('maximum recursion depth exceeded')
  })
})

describe('findJson', () => {
  it('takes the first document that reads well', () => {
    expect(findJson('Warning: [x] {"a": 1} trailing')).toEqual(new Map([['a', 1]]))
    // each bracket of a long text may begin the data
    expect(() => findJson('\x1b['.repeat(1 << 19))).toThrow(expect.objectContaining({ code: 'ValueError' }))
    expect(() => findJson('nothing [ here')).toThrow(expect.objectContaining({ code: 'ValueError', message: '' }))
  })
})

describe('dumpJson', () => {
  const value = new Map<Value, Value>([
    ['b', [1, new Float(1), tuple([null, true])]],
    ['a', 'é"\n\x7f😀'],
  ])

  it.each<[DumpJsonOptions, string]>([
    [{}, '{"b": [1, 1.0, [null, true]], "a": "\\u00e9\\"\\n\\u007f\\ud83d\\ude00"}'],
    [{ ensureAscii: false, separators: [',', ':'] }, '{"b":[1,1.0,[null,true]],"a":"é\\"\\n\x7f😀"}'],
    [
      { sortKeys: true, indent: 2, ensureAscii: false },
      '{\n  "a": "é\\"\\n\x7f😀",\n  "b": [\n    1,\n    1.0,\n    [\n      null,\n      true\n    ]\n  ]\n}',
    ],
  ])('with %j', (options, expected) => {
    expect(dumpJson(value, options)).toBe(expected)
  })

  it.each<[Value, string]>([
    [new Float(1e16), '1e+16'],
    [1e-7, '1e-07'],
    [2n ** 70n, '1180591620717411303424'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
    [[], '[]'],
    [new Map(), '{}'],
    [
      new Map<Value, Value>([
        [1, 1],
        [null, 2],
        [true, 3],
        [new Float(2), 4],
      ]),
      '{"1": 1, "null": 2, "true": 3, "2.0": 4}',
    ],
  ])('writes %o as %s', (data, expected) => {
    expect(dumpJson(data)).toBe(expected)
  })

  it.each<[Value, DumpJsonOptions, string]>([
    [new PySet([1]), {}, 'Object of type set is not JSON serializable'],
    [Uint8Array.of(1), {}, 'Object of type bytes is not JSON serializable'],
    [new Map([[tuple([1]), 1]]), {}, 'keys must be str, int, float, bool or None, not tuple'],
    [
      new Map<Value, Value>([
        [1, 1],
        ['a', 1],
      ]),
      { sortKeys: true },
      "'<' not supported between instances of 'str' and 'int'",
    ],
    [Number.NaN, { allowNan: false }, 'Out of range float values are not JSON compliant'],
  ])('refuses %o', (data, options, message) => {
    expect(() => dumpJson(data, options)).toThrow(message)
  })

  it('calls the default function and detects cycles', () => {
    expect(dumpJson([new PySet([1])], { default: str })).toBe('["{1}"]')
    const circle: Value[] = []
    circle.push(circle)
    expect(() => dumpJson(circle)).toThrow('Circular reference detected')
  })

  it('takes plain objects, too', () => {
    expect(dumpJson({ a: [{ b: null }] })).toBe('{"a": [{"b": null}]}')
    expect(() => dumpJson([undefined])).toThrow('Object of type undefined is not JSON serializable')
  })

  it('returns the data that was written', () => {
    const { value: any } = fc.letrec<{ value: Value }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constant(null),
        fc.boolean(),
        fc.maxSafeInteger(),
        fc.bigInt({ min: 2n ** 53n }),
        fc.double({ noNaN: true }).map((n) => (Number.isInteger(n) ? new Float(n) : n)),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value')),
        fc.dictionary(fc.string(), tie('value')).map((object): Value => new Map(Object.entries(object))),
      ),
    }))
    fc.assert(
      fc.property(any, fc.boolean(), fc.option(fc.nat(4)), (data, ensureAscii, indent) => {
        expect(equals(loadJson(dumpJson(data, { ensureAscii, indent })), data)).toBe(true)
      }),
    )
  })
})
