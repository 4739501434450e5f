import { describe, expect, it } from 'vitest'
import { parseValue, shellWords, valueText } from './values.ts'

describe('a typed value', () => {
  it.each([
    ['hello there', 'hello there'],
    ['5', 5],
    ['-1.5', -1.5],
    ['0644', '0644'],
    ['"5"', '5'],
    ['True', true],
    ['no', false],
    ['None', null],
    ['[a, 2, "x, y", {k: [1]}]', ['a', 2, 'x, y', { k: [1] }]],
    ['{url: http://a:80/x, on: yes}', { url: 'http://a:80/x', on: true }],
    ["{'it''s': ''}", { "it's": '' }],
    ['{"a": {"b": null}}', { a: { b: null } }],
    ['[a', '[a'],
    ['key: value', 'key: value'],
    ['[1, 2] and more', '[1, 2] and more'],
    ['two\nlines', 'two\nlines'],
    ['{__proto__: {x: 1}}', JSON.parse('{"__proto__": {"x": 1}}')],
  ])('%s is read', (text, value) => {
    expect(parseValue(text)).toEqual(value)
  })

  it.each([['plain'], ['5'], ['True'], ['[x]'], [''], [5], [true], [null], [['a', 1]], [{ a: 'b: c' }]])(
    '%j is written so that it is read as the same',
    (value) => {
      expect(parseValue(valueText(value))).toEqual(value)
    },
  )

  it('nested without end is a text', () => {
    const deep = '['.repeat(5000)
    expect(parseValue(deep)).toBe(deep)
  })
})

describe('a line of a shell', () => {
  it('is parted at spaces outside quotes', () => {
    expect(shellWords(`cmd.run 'ls -l /tmp' cwd=/ env="{A: \\"b\\"}" a\\ b`)).toEqual([
      'cmd.run',
      'ls -l /tmp',
      'cwd=/',
      'env={A: "b"}',
      'a b',
    ])
  })

  it('keeps a quote that nothing closes', () => {
    expect(shellWords("echo 'open")).toEqual(['echo', "'open"])
  })
})
