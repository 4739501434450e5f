import { describe, expect, test } from 'vitest'
import { OrderedDict, type Value } from '../data/mod.ts'
import { yamlDquote, yamlEncode, yamlSquote } from './encode.ts'

describe('scalars for templates', () => {
  test.each<[Value, string]>([
    ['a "b"\\\n', '"a \\"b\\"\\\\\\n"'],
    ['é😀\x85', '"\\xE9\\U0001F600\\N"'],
    [null, '"None"'],
  ])('yamlDquote of %j', (value, text) => {
    expect(yamlDquote(value)).toBe(text)
  })

  test.each<[Value, string]>([
    ["it's", "'it''s'"],
    ['a\nb\n\nc', "'a\n\nb\n\n\nc'"],
    ['a\u2028b', "'a\u2028b'"],
  ])('yamlSquote of %j', (value, text) => {
    expect(yamlSquote(value)).toBe(text)
  })

  test.each<[Value, string]>([
    [null, 'null'],
    [true, 'true'],
    [1.5, '1.5'],
    ['yes', '"yes"'],
    [Uint8Array.from([97]), 'YQ==\n'],
  ])('yamlEncode of %j', (value, text) => {
    expect(yamlEncode(value)).toBe(text)
  })

  test('yamlEncode refuses collections', () => {
    expect(() => yamlEncode([1])).toThrow("yaml_encode() only works with YAML scalar data; failed for <class 'list'>")
    expect(() => yamlEncode(new OrderedDict())).toThrow("('cannot represent an object', OrderedDict())")
  })
})
