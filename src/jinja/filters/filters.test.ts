import { describe, expect, test } from 'vitest'
import { Float, iterate, type NamedTuple, repr, tuple, type Value } from '../../data/mod.ts'
import { fakeRuntime, filtered } from '../runtime/fake-runtime.test-support.ts'
import { PyGenerator } from '../runtime/generator.ts'
import { Markup } from '../runtime/markup.ts'
import { native } from '../runtime/native.ts'
import { StrictUndefined } from '../runtime/undefined.ts'
import { builtinFilters } from './mod.ts'

const dict = (entries: Record<string, Value>): Map<Value, Value> => new Map(Object.entries(entries))
const missing = new StrictUndefined("'nope' is undefined")
const hosts: Value[] = [
  dict({ name: 'web2', role: 'web', cpu: 4 }),
  dict({ name: 'db1', role: 'DB', cpu: 16 }),
  dict({ name: 'web1', role: 'Web', cpu: 2 }),
]

type Case = [filter: string, args: Value[], result: string, kwargs?: Record<string, Value>]

const run = ([name, args, , kwargs]: Case): string => filtered(name, args, kwargs)

/** Return the results of a generator filter as a list. */
const listed = (name: string, args: Value[], kwargs: Record<string, Value> = {}): string =>
  repr([...iterate(builtinFilters.get(name)!.invoke(fakeRuntime(), args, new Map(Object.entries(kwargs))) as Value)])

describe('filters on text', () => {
  test.each<Case>([
    ['title', ["it's o'clock"], '"It\'s O\'clock"'],
    ['trim', ['--x--', '-'], "'x'"],
    ['center', ['x', 9], "'    x    '"],
    ['wordcount', ['a b-c d_e'], '4'],
    ['replace', ['abc', '', '-'], "'-a-b-c-'"],
    ['replace', ['aXbXc', 'X', '-', 1], "'a-bXc'"],
    ['replace', [5, '5', '6'], "'6'"],
    ['string', [new Float(1)], "'1.0'"],
    ['upper', [new Markup('<b>')], "Markup('<B>')"],
    ['indent', ['a\nb\n\nc', 2], "'a\\n  b\\n\\n  c'"],
    ['indent', ['a\nb', '>> ', true], "'>> a\\n>> b'"],
    ['indent', ['', 4, true], "'    '"],
    ['truncate', ['foo bar baz qux', 11], "'foo bar...'", { leeway: 0 }],
    ['truncate', ['foo bar baz qux', 9, true], "'foo ba...'"],
    ['truncate', ['exactlyten', 10], "'exactlyten'"],
    ['wordwrap', ['a b c d', 3, true, '|'], "'a b|c d'"],
  ])('%s of %j gives %s', (...given) => expect(run(given)).toBe(given[2]))

  test.each<[string, Value[], string]>([
    ['indent', [5], "unsupported operand type(s) for +=: 'int' and 'str'"],
    ['truncate', ['abc', 2], 'expected length >= 3, got 2'],
    ['wordwrap', ['abc', 0], 'invalid width 0 (must be > 0)'],
    ['trim', ['abc', 5], 'strip arg must be None or str'],
    ['upper', [missing], "'nope' is undefined"],
  ])('%s of %j fails', (name, args, message) => expect(() => filtered(name, args)).toThrow(message))
})

describe('filters on numbers', () => {
  test.each<Case>([
    ['abs', [-2.5], '2.5'],
    ['int', ['42.9'], '42'],
    ['int', ['0b11', 0, 2], '3'],
    ['int', ['99999999999999999999'], '99999999999999999999'],
    ['int', [[]], '0'],
    ['int', ['1e400', 7], '7'],
    ['float', ['1e3'], '1000.0'],
    ['float', [null], '0.0'],
    ['round', [2.5], '2.0'],
    ['round', [2.567, 1, 'floor'], '2.5'],
    ['filesizeformat', [1], "'1 Byte'"],
    ['filesizeformat', [1500000], "'1.5 MB'"],
    ['filesizeformat', [1048576, true], "'1.0 MiB'"],
    ['filesizeformat', [1.5e30], "'1500000.0 YB'"],
    ['sum', [[1, 2.5]], '3.5'],
    ['sum', [[[1], [2]], null, []], '[1, 2]'],
    ['sum', [hosts], '122', { attribute: 'cpu', start: 100 }],
  ])('%s of %j gives %s', (...given) => expect(run(given)).toBe(given[2]))

  test.each<[string, Value[], string]>([
    ['round', [2.5, 0, 'nope'], 'method must be common, ceil or floor'],
    ['sum', [['a'], null, ''], "sum() can't sum strings [use ''.join(seq) instead]"],
    ['abs', ['x'], "bad operand type for abs(): 'str'"],
    ['int', [missing], "'nope' is undefined"],
  ])('%s of %j fails', (name, args, message) => expect(() => filtered(name, args)).toThrow(message))
})

describe('filters on lists', () => {
  test.each<Case>([
    ['first', [[]], 'undefined: No first item, sequence was empty.'],
    ['last', [dict({ a: 1, b: 2 })], "'b'"],
    ['random', [[7]], '7'],
    ['join', [[1, [2], null], '-'], "'1-[2]-None'"],
    ['join', [hosts, ','], "'4,16,2'", { attribute: 'cpu' }],
    ['sort', [['b', 'A', 'a', 'B']], "['A', 'a', 'b', 'B']"],
    ['sort', [['b', 'A', 'a', 'B'], false, true], "['A', 'B', 'a', 'b']"],
    ['min', [['b', 'A']], "'A'"],
    ['max', [[]], 'undefined: No aggregated item, sequence was empty.'],
    ['dictsort', [dict({ b: 2, A: 3 }), false, 'value'], "[('b', 2), ('A', 3)]"],
  ])('%s of %j gives %s', (...given) => expect(run(given)).toBe(given[2]))

  test.each<Case>([
    ['batch', [[1, 2, 3], 2, 'x'], "[[1, 2], [3, 'x']]"],
    ['slice', [[1, 2, 3, 4], 3, 0], '[[1, 2], [3, 0], [4, 0]]'],
    ['unique', [['a', 'A', 'b']], "['a', 'b']"],
    ['reverse', [tuple([1, 2])], '[2, 1]'],
    ['items', [dict({ a: 1 })], "[('a', 1)]"],
    ['items', [missing], '[]'],
  ])('%s of %j iterates over %s', (name, args, result) => expect(listed(name, args)).toBe(result))

  test('sort compares several attributes, and names the types it cannot compare', () => {
    const names = filtered('join', [
      builtinFilters.get('sort')!.invoke(fakeRuntime(), [hosts, false, false, 'role,name']) as Value,
      ' ',
      'name',
    ])
    expect(names).toBe("'db1 web1 web2'")
    expect(() => filtered('sort', [['1', 2]])).toThrow("'<' not supported between instances of 'int' and 'str'")
  })

  test('groupby gives named pairs with the first spelling of the key', () => {
    const groups = builtinFilters.get('groupby')!.invoke(fakeRuntime(), [hosts, 'role']) as Value[]
    expect(groups.map((group) => (group as NamedTuple).getAttr('grouper'))).toEqual(['DB', 'web'])
    expect((groups[1] as NamedTuple)[1]).toHaveLength(2)
    expect(repr(groups[0]!)).toMatch(/^\('DB', \[\{'name': 'db1'/)
  })

  test('last names a type that has no order', () => {
    const generator = new PyGenerator('do_unique', [1])
    expect(() => filtered('last', [generator])).toThrow("'generator' object is not reversible")
  })
})

describe('map, select and their kin', () => {
  test.each<Case>([
    ['map', [['a', 'b'], 'upper'], "['A', 'B']"],
    ['map', [hosts], "['web2', 'db1', 'web1']", { attribute: 'name' }],
    ['map', [hosts], "['none', 'none', 'none']", { attribute: 'zone.name', default: 'none' }],
    ['select', [[0, 1, '']], '[1]'],
    ['reject', [[1, 2, 3], 'gt', 1], '[1]'],
    ['selectattr', [[dict({ a: 1 }), dict({ b: 1 })], 'a', 'defined'], "[{'a': 1}]"],
    ['rejectattr', [[dict({ a: 1 }), dict({ a: 0 })], 'a'], "[{'a': 0}]"],
  ])('%s of %j gives %s', (name, args, result, kwargs) => expect(listed(name, args, kwargs)).toBe(result))

  test('fail only when they are iterated, after the good items', () => {
    const upper = builtinFilters.get('map')!.invoke(fakeRuntime(), [['1', [], '2'], 'abs']) as PyGenerator
    const items = upper.iterate()
    expect(() => items.next()).toThrow("bad operand type for abs(): 'str'")
    const odd = builtinFilters.get('select')!.invoke(fakeRuntime(), [[1, null], 'odd']) as PyGenerator
    expect(filtered('first', [odd])).toBe('1')
    expect(() => filtered('list', [odd])).toThrow("unsupported operand type(s) for %: 'NoneType' and 'int'")
  })

  test('map waits for a filter that answers later', async () => {
    const later = native('later', ['value'], async (_rt, value: Value) => [value])
    const rt = fakeRuntime({ filters: { later } })
    const result = builtinFilters.get('map')!.invoke(rt, [[1, 2], 'later'])
    expect(result).toBeInstanceOf(Promise)
    expect(repr([...iterate(await result)])).toBe('[[1], [2]]')
  })

  test('a generator is used up by iterating, and shows its function', () => {
    const result = builtinFilters.get('map')!.invoke(fakeRuntime(), [['a'], 'upper']) as PyGenerator
    expect(result.repr()).toMatch(/^<generator object sync_do_map at 0x[0-9a-f]+>$/)
    expect(repr([...iterate(result)])).toBe("['A']")
    expect(repr([...iterate(result)])).toBe('[]')
  })
})

describe('filters for HTML', () => {
  test.each<Case>([
    ['escape', ['<x>\'"&'], "Markup('&lt;x&gt;&#39;&#34;&amp;')"],
    ['escape', [new Markup('<x>')], "Markup('<x>')"],
    ['forceescape', [new Markup('<x>')], "Markup('&lt;x&gt;')"],
    ['safe', [5], "Markup('5')"],
    ['striptags', ['<b>bold</b> &amp; <!-- c -->\n text'], "'bold & text'"],
    ['xmlattr', [dict({ class: 'a b', id: null, q: '"<' })], '\' class="a b" q="&#34;&lt;"\''],
    ['urlencode', ['/path/to file'], "'/path/to%20file'"],
    ['urlencode', [dict({ 'b c': 'x/y', d: 'é' })], "'b+c=x%2Fy&d=%C3%A9'"],
    ['urlize', ['(www.x.org)'], '\'(<a href="https://www.x.org" rel="noopener">www.x.org</a>)\''],
    ['urlize', ['me@x.org @a@b'], '\'<a href="mailto:me@x.org">me@x.org</a> @a@b\''],
    ['urlize', ['http://a.com/b_(c).', 8], '\'<a href="http://a.com/b_(c)" rel="noopener">http://a...</a>.\''],
  ])('%s of %j gives %s', (...given) => expect(run(given)).toBe(given[2]))

  test('join and replace escape what meets Markup where escaping is on', () => {
    const rt = fakeRuntime({ autoescape: true })
    expect(filtered('join', [[new Markup('<a>'), '<b>'], '&'], {}, rt)).toBe("Markup('<a>&amp;&lt;b&gt;')")
    expect(filtered('replace', ['<a>', 'a', new Markup('<b>')], {}, rt)).toBe("Markup('&lt;<b>&gt;')")
  })

  test('xmlattr refuses a name that would break the tag', () => {
    expect(() => filtered('xmlattr', [dict({ 'a b': 1 })])).toThrow("Invalid character in attribute name: 'a b'")
  })
})

describe('filters on any value', () => {
  test.each<Case>([
    ['default', [missing, 'x'], "'x'"],
    ['default', ['', 'x'], "''"],
    ['default', ['', 'x', true], "'x'"],
    ['pprint', [dict({ b: 1, a: 2 })], "\"{'a': 2, 'b': 1}\""],
    ['attr', [dict({ a: 1 }), 'a'], "undefined: 'dict object' has no attribute 'a'"],
    ['attr', [dict({ a: 1 }), 'keys'], "'a method'"],
  ])('%s of %j gives %s', (...given) => expect(run(given)).toBe(given[2]))
})

test.each<[string, Value[], Record<string, Value>, string]>([
  ['default', [1, 2, 3, 4], {}, 'do_default() takes from 1 to 3 positional arguments but 4 were given'],
  ['sort', [1, 2, 3, 4, 5], {}, 'do_sort() takes from 2 to 5 positional arguments but 6 were given'],
  ['replace', [1], {}, "do_replace() missing 2 required positional arguments: 'old' and 'new'"],
  ['sort', [1], { environment: 1 }, "do_sort() got multiple values for argument 'environment'"],
  ['length', [1, 2], {}, 'len() takes exactly one argument (2 given)'],
  ['escape', [1], { s: 1 }, 'markupsafe._speedups.escape() takes no keyword arguments'],
])('%s with the arguments %j %j fails as in Python', (name, args, kwargs, message) => {
  expect(() => filtered(name, args, kwargs)).toThrow(message)
})

test.each<Case>([
  [
    'tojson',
    [dict({ b: "<'&>", a: [new Float(1), null] })],
    'Markup(\'{"a": [1.0, null], "b": "\\\\u003c\\\\u0027\\\\u0026\\\\u003e"}\')',
  ],
  ['tojson', [[1, []], 2], "Markup('[\\n  1,\\n  []\\n]')"],
])('%s of %j gives %s', (...given) => expect(run(given)).toBe(given[2]))
