import { describe, expect, it } from 'vitest'
import {
  Float,
  OrderedDict,
  PyDate,
  PyDatetime,
  PyRange,
  PySet,
  PyTimedelta,
  repr,
  tuple,
  type Value,
} from '../../data/mod.ts'
import { Markup } from '../runtime/markup.ts'
import type { Kwargs, Runtime } from '../runtime/runtime.ts'
import { attributeOf, methodsOf } from './mod.ts'

const rt = { getAttr: () => 'attr', getItem: (o: Value[], k: number) => o[k] } as unknown as Runtime

const call = (self: Value, name: string, args: Value[] = [], kwargs?: Kwargs): Value =>
  methodsOf(self)![name]!.invoke(rt, [self, ...args], kwargs) as Value

const MOMENT = new PyDatetime(2016, 3, 8, { hour: 5, minute: 7, second: 0, microsecond: 0, offset: undefined })

const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

describe('methods of builtin types', () => {
  it.each<[Value, string, Value[], string]>([
    ['straße', 'upper', [], "'STRASSE'"],
    ['they’re ΣΑΣ', 'title', [], "'They’Re Σας'"],
    ['aB', 'swapcase', [], "'Ab'"],
    ['ẞı', 'casefold', [], "'ssı'"],
    ['x😀y😀', 'rfind', ['😀'], '3'],
    ['banana', 'count', ['an', -4], '1'],
    ['abc', 'startswith', [tuple(['x', 'b']), 1], 'True'],
    ['aaa', 'replace', ['', '-', 2], "'-a-aa'"],
    [' a  b c ', 'split', [null, 1], "['a', 'b c ']"],
    ['aaa', 'rsplit', ['aa'], "['a', '']"],
    ['a=b=c', 'rpartition', ['='], "('a=b', '=', 'c')"],
    ['a\x85b', 'splitlines', [], "['a', 'b']"],
    ['-5', 'zfill', [4], "'-005'"],
    ['ab', 'center', [5, '*'], "'**ab*'"],
    ['a\tb', 'expandtabs', [4], "'a   b'"],
    [
      'abc',
      'translate',
      [
        new Map<Value, Value>([
          [97, 'X'],
          [98, null],
        ]),
      ],
      "'Xc'",
    ],
    ['²', 'isdigit', [], 'True'],
    ['{0[1]}-{x.y}', 'format', [[1, 2]], "'2-attr'"],
    ['é', 'encode', ['latin-1'], "b'\\xe9'"],
    [[1, 2, 1], 'index', [1, 1], '2'],
    [[1, 2], 'pop', [], '2'],
    [tuple([1, 1]), 'count', [1], '2'],
    [new Map([['a', 1]]), 'items', [], "dict_items([('a', 1)])"],
    [new OrderedDict([['a', 1]]), 'keys', [], "odict_keys(['a'])"],
    [new Map([['a', 1]]), 'setdefault', ['b', 2], '2'],
    [new PySet([1, 2]), 'union', [[3], [0]], '{0, 1, 2, 3}'],
    [300, 'to_bytes', [2, 'little'], "b',\\x01'"],
    [0.1, 'as_integer_ratio', [], '(3602879701896397, 36028797018963968)'],
    [new Float(1), 'hex', [], "'0x1.0000000000000p+0'"],
    [PyRange.of(0, 10, 2), 'index', [4], '2'],
    [new PyDate(2016, 3, 8), 'strftime', ['%d.%m.%y'], "'08.03.16'"],
    [MOMENT, 'isoformat', [' ', 'minutes'], "'2016-03-08 05:07'"],
    [MOMENT, 'replace', [2020], 'datetime.datetime(2020, 3, 8, 5, 7)'],
    [MOMENT, 'time', [], 'datetime.time(5, 7)'],
    [MOMENT, 'weekday', [], '1'],
    [PyTimedelta.ofSeconds(90), 'total_seconds', [], '90.0'],
    [bytes('a,b'), 'split', [bytes(',')], "[b'a', b'b']"],
    [bytes('abcd'), 'hex', ['-', 2], "'6162-6364'"],
  ])('%s.%s(%j) is %s', (self, name, args, expected) => {
    const kwargs: Kwargs | undefined = name === 'format' ? new Map([['x', 1]]) : undefined
    expect(repr(call(self, name, args, kwargs))).toBe(expected)
  })

  it.each<[Value, string, Value[], string]>([
    ['a', 'upper', [1], 'str.upper() takes no arguments (1 given)'],
    ['a', 'replace', ['x'], 'replace expected at least 2 arguments, got 1'],
    ['a', 'find', [], 'find() takes at least 1 argument (0 given)'],
    ['a', 'split', [1, 2, 3], 'split() takes at most 2 arguments (3 given)'],
    ['a', 'split', [''], 'empty separator'],
    ['a', 'join', [[1]], 'sequence item 0: expected str instance, int found'],
    ['a', 'index', ['z'], 'substring not found'],
    ['a', 'ljust', [10 ** 12], ''],
    [[], 'append', [], 'list.append() takes exactly one argument (0 given)'],
    [[], 'pop', [], 'pop from empty list'],
    [[1], 'index', ['x'], "'x' is not in list"],
    [[], 'insert', [1], 'insert expected 2 arguments, got 1'],
    [new Map(), 'pop', ['x'], "'x'"],
    [new Map(), 'popitem', [], "'popitem(): dictionary is empty'"],
    [new Map(), 'get', [[]], "unhashable type: 'list'"],
    [true, 'bit_length', [1], 'bool.bit_length() takes no arguments (1 given)'],
    [bytes(''), 'index', [bytes('x')], 'subsection not found'],
  ])('%s.%s(%j) raises %s', (self, name, args, message) => {
    expect(() => call(self, name, args)).toThrow(expect.objectContaining({ message }))
  })

  it.each<[Kwargs, string]>([
    [new Map([['zz', 1]]), "'zz' is an invalid keyword argument for split()"],
    [new Map([['sep', ' ']]), "argument for split() given by name ('sep') and position (1)"],
  ])('split with keywords %j raises %s', (kwargs, message) => {
    expect(() => call('a', 'split', [' '], kwargs)).toThrow(message)
  })

  it('hide the names of JavaScript', () => {
    for (const self of ['a', 1, [], new Map(), tuple([]), null] as Value[]) {
      for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length']) {
        expect(methodsOf(self)?.[name]).toBeUndefined()
        expect(attributeOf(self, name)).toBeUndefined()
      }
    }
  })
})

describe('methods of Markup', () => {
  it.each<[string, Value[], string]>([
    ['upper', [], "Markup('<B>&AMP;')"],
    ['replace', ['<', 'x'], "Markup('<b>&amp;')"],
    ['split', ['&'], "[Markup('<b>'), Markup('amp;')]"],
    ['join', [['<', new Markup('<i>')]], "Markup('&lt;<b>&amp;<i>')"],
    ['partition', ['b'], "(Markup('<'), Markup('b'), Markup('>&amp;'))"],
    ['find', ['b'], '1'],
    ['casefold', [], "'<b>&amp;'"],
    ['striptags', [], "'&'"],
    ['unescape', [], "'<b>&'"],
  ])('%s(%j) is %s', (name, args, expected) => {
    expect(repr(call(new Markup('<b>&amp;'), name, args))).toBe(expected)
  })

  it('escapes what is formatted into it', () => {
    expect(repr(call(new Markup('{} {}'), 'format', ['<', new Markup('<')]))).toBe("Markup('&lt; <')")
  })
})
