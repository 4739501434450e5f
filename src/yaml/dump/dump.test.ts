import { describe, expect, test } from 'vitest'
import { Float, OrderedDict, PyDate, PySet, tuple, type Value } from '../../data/mod.ts'
import { type DumpOptions, dump } from './dump.ts'

const dict = (...pairs: Array<[Value, Value]>): Map<Value, Value> => new Map(pairs)

describe('dump writes', () => {
  test.each<[string, Value, DumpOptions, string]>([
    ['text that would read as a bool in quotes', 'yes', {}, "'yes'\n"],
    ['text that would read as a time in quotes', '1:30', {}, "'1:30'\n"],
    ['empty text', '', {}, "''\n"],
    ['text with a tab in double quotes', 'a\tb', {}, '"a\\tb"\n'],
    ['characters beyond the basic plane escaped', '😀', {}, '"\\U0001F600"\n'],
    ['long text over several lines', 'word '.repeat(20), {}, `'${'word '.repeat(16)}word\n  word word word '\n`],
    ['integral floats with a point', new Float(1), {}, '1.0\n'],
    ['large floats as YAML 1.1 reads them', new Float(1e17), {}, '1.0e+17\n'],
    ['bytes in base64', Uint8Array.from([0, 255]), {}, '!!binary |\n  AP8=\n'],
    ['dates', new PyDate(2020, 1, 2), {}, '2020-01-02\n'],
    ['tuples as lists', tuple([1, 2]), {}, '[1, 2]\n'],
    ['sets', new PySet(['b', 'a']), {}, '!!set {a: null, b: null}\n'],
    ['dicts sorted', dict(['b', 1], ['a', 2]), {}, '{a: 2, b: 1}\n'],
    ['dicts as they are where keys cannot be compared', dict(['b', 1], [1, 2]), {}, '{b: 1, 1: 2}\n'],
    [
      'OrderedDicts in order',
      new OrderedDict([
        ['b', 1],
        ['a', 2],
      ]),
      {},
      '{b: 1, a: 2}\n',
    ],
    ['nested collections in blocks', dict(['a', [dict(['b', 1])]]), {}, 'a:\n- {b: 1}\n'],
    ['all in blocks when told', dict(['a', [dict(['b', []])]]), { default_flow_style: false }, 'a:\n- b: []\n'],
    ['all in flow when told', dict(['a', [1]]), { default_flow_style: true }, '{a: [1]}\n'],
    ['collections as keys', dict([tuple(['a', 1]), 2]), {}, '? [a, 1]\n: 2\n'],
    ['literal blocks when told', 'a\nb\n', { default_style: '|' }, '|\n  a\n  b\n'],
    ['an end mark behind kept line breaks', 'a\n\n', { default_style: '|' }, '|+\n  a\n\n...\n'],
    ['ints with a bare tag in a quoting style', 1, { default_style: '"' }, '! "1"\n'],
    ['canonically', dict(['a', 1]), { canonical: true }, '---\n!!map {\n  ? !!str "a"\n  : !!int "1",\n}\n'],
    ['directives', 1, { version: [1, 1], explicit_end: true }, '%YAML 1.1\n--- 1\n...\n'],
  ])('%s', (_, value, options, text) => {
    expect(dump(value, options)).toBe(text)
  })

  test('shared and recursive collections with anchors', () => {
    const list: Value[] = [1]
    list.push(list)
    expect(dump(dict(['a', list], ['b', list]))).toBe('a: &id001\n- 1\n- *id001\nb: *id001\n')
  })

  test.each<[DumpOptions['dumper'], string]>([
    ['SafeOrderedDumper', '{b: 1, a: [1]}\n'.replace('{b: 1, a: [1]}', 'b: 1\na: [1]')],
    ['OrderedDumper', 'b: 1\na: !!python/tuple [1]\n'],
    ['serializer', 'a: [1]\nb: 1\n'],
    ['Dumper', '!!python/object/apply:collections.OrderedDict\n- - [b, 1]\n  - - a\n    - !!python/tuple [1]\n'],
  ])('an OrderedDict and a tuple as %s does', (dumper, text) => {
    const value = new OrderedDict([
      ['b', 1],
      ['a', tuple([1])],
    ])
    expect(dump(value, { ...(dumper && { dumper }) })).toBe(text)
  })

  test.each<[string, DumpOptions]>([
    ['incompatible %YAML directive', { version: [2, 0] }],
    ["tag handle must start with '!'", { tags: new Map([['x', 'y']]) }],
  ])('nothing but the error "%s" for such options', (message, options) => {
    expect(() => dump(1, options)).toThrow(message)
  })

  test('nothing for data nested too deeply', () => {
    let value: Value = []
    for (let i = 0; i < 5000; i++) value = [value]
    expect(() => dump(value)).toThrow('maximum recursion depth exceeded')
  })
})
