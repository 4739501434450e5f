import { describe, expect, test } from 'vitest'
import { OrderedDict, PyDate, type Value } from '../data/mod.ts'
import { YamlError } from './errors.ts'
import { deserializeYaml, deserializeYamlex, serializeYaml, serializeYamlex } from './serializer.ts'

const plain = (value: Value): unknown => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]))
  return Array.isArray(value) ? Array.from(value, plain) : value
}

describe('the yaml serializer', () => {
  test('reads as PyYAML does: octal, dates, the last of equal keys', () => {
    const value = deserializeYaml('a: 0755\na: 0644\nd: 2020-01-02\ns: !encrypted x')
    expect(value).toEqual(
      new Map<Value, Value>([
        ['a', 420],
        ['d', new PyDate(2020, 1, 2)],
        ['s', 'x'],
      ]),
    )
  })

  test('puts every failure into one class', () => {
    expect(() => deserializeYaml('!!int x')).toThrow(YamlError)
    expect(() => deserializeYaml('!!int x')).toThrow("invalid literal for int() with base 10: 'x'")
    expect(() => deserializeYaml('a: b: c')).toThrow(
      expect.objectContaining({ code: 'DeserializationError', message: 'Unknown yaml render error', line: 1 }),
    )
  })

  test('sorts every dict, escapes what is not ASCII and leaves out the last line feed', () => {
    const value = new OrderedDict([
      ['b', 'é'],
      ['a', [1]],
    ])
    expect(serializeYaml(value)).toBe('a: [1]\nb: "\\xE9"')
  })

  test('refuses values without a YAML form', () => {
    class Thing extends PyDate {
      override readonly typeName = 'thing'
    }
    expect(serializeYaml(new Thing(2020, 1, 2))).toBe('2020-01-02')
    expect(() => serializeYaml(new Date() as unknown as Value)).toThrow()
  })
})

describe('yamlex', () => {
  test.each<[string, string, unknown]>([
    ['keeps the later of two values', 'a: 1\na: 2', { a: 2 }],
    ['joins aggregated scalars', 'a: !aggregate x\na: !aggregate y', { a: ['x', 'y'] }],
    ['joins aggregated lists without repeats', 'a: !aggregate [1, 2]\na: !aggregate [2, 3]', { a: [1, 2, 3] }],
    ['joins aggregated maps', 'a: !aggregate {b: 1}\na: !aggregate {c: 2}', { a: { b: 1, c: 2 } }],
    [
      'joins below maps that it does not join',
      'a: {b: !aggregate [x]}\na: {b: !aggregate [y]}',
      { a: { b: ['x', 'y'] } },
    ],
    [
      'takes a tagged key for its value',
      'a: {!aggregate b: {c: 1}}\na: {!aggregate b: {d: 2}}',
      { a: { b: { c: 1, d: 2 } } },
    ],
    ['starts anew at a reset', 'a: !aggregate [1]\n!reset a: !aggregate [2]', { a: [2] }],
    ['makes an empty list of an aggregated null', 'a: !aggregate ~', { a: [] }],
    ['reads ints as decimal', 'a: 0755\nb: -010', { a: 755, b: -10 }],
    ['fills lists after copying, so an untagged one is lost', 'a: [1]\na: [2]', { a: [] }],
  ])('%s', (_, text, value) => {
    expect(plain(deserializeYamlex(text))).toEqual(value)
  })

  test('cannot build a map that contains itself', () => {
    expect(() => deserializeYamlex('a: &x {b: *x}')).toThrow('found unconstructable recursive node')
  })

  test('writes with PyYAML’s own emitter and keeps the order', () => {
    const value = new OrderedDict([
      ['b', 'x'],
      ['a', null],
    ])
    expect(serializeYamlex(value, { default_flow_style: true })).toBe('{b: x, a: null}')
    expect(serializeYamlex('x', { default_style: '"' })).toBe('"x"')
    expect(serializeYamlex('x')).toBe('x')
  })
})
