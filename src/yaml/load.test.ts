import { describe, expect, test } from 'vitest'
import { Float, PySet, tuple, type Value } from '../data/mod.ts'
import type { YamlError } from './errors.ts'
import { load } from './load.ts'

function failure(text: string | Uint8Array): YamlError {
  try {
    load(text)
  } catch (error) {
    return error as YamlError
  }
  throw new Error(`Loading ${JSON.stringify(text)} did not fail`)
}

describe('load gives scalars the types of YAML 1.1 as Salt reads them', () => {
  test.each<[string, Value]>([
    ['yes', true],
    ['Off', false],
    ['y', 'y'],
    ['~', null],
    ['', null],
    ['0755', 755],
    ['-0755', -493],
    ['08', '08'],
    ['0x1F', 31],
    ['0b101', 5],
    ['1_000', 1000],
    ['12:30', 750],
    ['12:60', '12:60'],
    ['123456789012345678901', 123456789012345678901n],
    ['1.5', 1.5],
    ['1.0', new Float(1)],
    ['1e3', '1e3'],
    ['-.inf', Number.NEGATIVE_INFINITY],
    ['1:30.5', 90.5],
    ['2024-01-01', '2024-01-01'],
    ["'1'", '1'],
    ['! "12"', 12],
    ['!!str 12', '12'],
    ['!!binary aGk', Uint8Array.from([104, 105])],
  ])('%j', (text, value) => {
    expect(load(text)).toEqual(value)
  })
})

describe('load reads', () => {
  test.each<[string, string, Value]>([
    ['folded plain text', 'a\n  b\n\n  c', 'a b\nc'],
    ['escapes', '"\\x41\\u00e9\\U0001F600\\\n  b"', 'Aé😀b'],
    ['literal blocks', '|+\n  a\n   b\n\n', 'a\n b\n\n'],
    ['folded blocks', '>-\n  a\n  b\n\n   c\n  d\n', 'a b\n\n c\nd'],
    ['pairs in flow lists', '[a: 1, b]', [new Map([['a', 1]]), 'b']],
    ['sets', '!!set {a, b}', new PySet(['a', 'b'])],
    ['pairs', '!!pairs [a: 1]', [tuple(['a', 1])]],
    ['a tag directive', '%TAG !e! tag:yaml.org,2002:\n---\n!e!str 5', '5'],
    ['CR, NEL and LS as line breaks', 'a\r b\x85 c\u2028 d', 'a b c\u2028d'],
  ])('%s', (_, text, value) => {
    expect(load(text)).toEqual(value)
  })

  test('an alias as the very value of its anchor', () => {
    const value = load('a: &x [1]\nb: *x') as Map<string, Value>
    expect(value.get('b')).toBe(value.get('a'))
  })

  test('a list that contains itself', () => {
    const list = load('&x [*x]') as Value[]
    expect(list[0]).toBe(list)
  })

  test('merged keys before own ones, which win', () => {
    const value = load('a: &a {x: 1, y: 2}\nb:\n  y: 3\n  <<: *a\n  z: 4') as Map<string, Map<string, Value>>
    expect([...value.get('b')!]).toEqual([
      ['x', 1],
      ['y', 3],
      ['z', 4],
    ])
  })

  test('a map that merges itself', () => {
    expect(load('&x\n<<: *x\nb: 1')).toEqual(new Map([['b', 1]]))
  })

  test('UTF-16 by its byte order mark', () => {
    const bytes = Buffer.from('\ufeffa: é', 'utf16le')
    expect(load(new Uint8Array(bytes))).toEqual(new Map([['a', 'é']]))
  })
})

describe('load refuses', () => {
  test.each<[string, string, string, string]>([
    [
      'tabs',
      'a:\n\tb: 1',
      'ScannerError',
      'while scanning for the next token\nfound character that cannot start any token\n  in "<unicode string>", line 2, column 1',
    ],
    [
      'a key without its colon',
      'a: 1\nb\n',
      'ScannerError',
      'while scanning a simple key\n  in "<unicode string>", line 2, column 1\ncould not find expected \':\'\n  in "<unicode string>", line 3, column 1',
    ],
    [
      'an open list',
      '[1, 2',
      'ParserError',
      'while parsing a flow sequence\n  in "<unicode string>", line 1, column 1\ndid not find expected \',\' or \']\'\n  in "<unicode string>", line 2, column 1',
    ],
    ['an unknown alias', 'a: *b', 'ComposerError', 'found undefined alias\n  in "<unicode string>", line 1, column 4'],
    [
      'a second document',
      'a\n---\nb',
      'ComposerError',
      'expected a single document in the stream\n  in "<unicode string>", line 1, column 1\nbut found another document\n  in "<unicode string>", line 2, column 1',
    ],
    [
      'a key that comes twice',
      'a: 1\na: 2',
      'ConstructorError',
      'while constructing a mapping\n  in "<unicode string>", line 1, column 1\nfound conflicting ID \'a\'\n  in "<unicode string>", line 2, column 1',
    ],
    [
      '1 and true as keys',
      '{1: a, true: b}',
      'ConstructorError',
      'while constructing a mapping\n  in "<unicode string>", line 1, column 1\nfound conflicting ID \'True\'\n  in "<unicode string>", line 1, column 8',
    ],
    [
      'a list as a key',
      '{[a]: b}',
      'ConstructorError',
      'while constructing a mapping\n  in "<unicode string>", line 1, column 1\nfound unacceptable key [ScalarNode(tag=\'tag:yaml.org,2002:str\', value=\'a\')]\n  in "<unicode string>", line 1, column 2',
    ],
    [
      'an unknown tag',
      '!include x',
      'ConstructorError',
      'could not determine a constructor for the tag \'!include\'\n  in "<unicode string>", line 1, column 1',
    ],
    [
      'a Python object',
      '!!python/object:os.system x',
      'ConstructorError',
      'could not determine a constructor for the tag \'tag:yaml.org,2002:python/object:os.system\'\n  in "<unicode string>", line 1, column 1',
    ],
    [
      'control characters',
      'é: \x07',
      'ReaderError',
      'unacceptable character #x0007: control characters are not allowed\n  in "<unicode string>", position 4',
    ],
    ['an int that is none', '!!int abc', 'ValueError', "invalid literal for int() with base 10: 'abc'"],
  ])('%s', (_, text, code, message) => {
    const { code: actual, message: text_ } = failure(text)
    expect([actual, text_]).toEqual([code, message])
  })

  test('the shallower of two errors first, as PyYAML builds level by level', () => {
    expect(failure('a: {b: 1, b: 2}\nc: !x 1').message).toContain("the tag '!x'")
  })

  test('bad characters only when reading reaches them', () => {
    const far = `${'key: value\n'.repeat(2000)}\x07`
    expect(failure(far).code).toBe('ReaderError')
    expect(failure(`a: ]\n${far}`).code).toBe('ParserError')
  })

  test('columns in code points, not in UTF-16 units', () => {
    expect(failure('😀: [😀').at).toEqual({ line: 2, column: 1 })
    expect(failure('😀😀: a: b').at).toEqual({ line: 1, column: 6 })
  })

  test('bytes that are no UTF-8', () => {
    expect(failure(Uint8Array.from([97, 0xff])).message).toBe(
      'unacceptable character #x00ff: invalid leading UTF-8 octet\n  in "<byte string>", position 1',
    )
  })
})

describe('load is bounded', () => {
  test.each(['['.repeat(100_000), '{a: '.repeat(50_000), '- '.repeat(100_000), '? '.repeat(100_000)])(
    'in nesting: %.8s…',
    (text) => {
      expect(['RecursionError', 'ParserError']).toContain(failure(text).code)
    },
  )

  test('in time for aliases of aliases', () => {
    const lines = ['a0: &a0 [x]']
    for (let i = 1; i < 60; i++) lines.push(`a${i}: &a${i} [*a${i - 1}, *a${i - 1}]`)
    const few = lines.slice(0, 15).join('\n')
    expect((load(few) as Map<string, Value>).size).toBe(15)
    expect(failure(`${few}\n? *a14\n: x`).message.length).toBeLessThan(200_000)
    expect(failure(lines.join('\n')).message).toContain('aliases stand for too much data')
  })

  test('in time for merges of merges', () => {
    const wide = Array.from({ length: 1300 }, (_, index) => `k${index}: 1`).join(', ')
    const text = `b: &b {${wide}}\nc: {<<: [${'*b, '.repeat(1300)}]}`
    expect(failure(text).message).toContain('too much to merge')
  })
})

describe('load tells keys from what looks like one', () => {
  test.each<[string, Array<[Value, Value]>]>([
    [
      '? a\nb: c',
      [
        ['a', null],
        ['b', 'c'],
      ],
    ],
    [
      'a:\nb: c',
      [
        ['a', null],
        ['b', 'c'],
      ],
    ],
    ['a b.c/d-e: f', [['a b.c/d-e', 'f']]],
    ['a : b', [['a', 'b']]],
    ['a:b: c', [['a:b', 'c']]],
    ['1: 2', [[1, 2]]],
    ['yes: no', [[true, false]]],
    [
      'k: v\n? x\n: y',
      [
        ['k', 'v'],
        ['x', 'y'],
      ],
    ],
  ])('%j', (text, pairs) => {
    expect(load(text)).toEqual(new Map(pairs))
  })
})
