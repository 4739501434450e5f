import { describe, expect, it } from 'vitest'
import { loadKeyPart } from './plain-scalar.ts'
import { repr } from './repr.ts'
import { type FilterByOptions, filterBy, traverse, traverseDict } from './traverse.ts'
import { type Dict, Float, tuple, type Value } from './value.ts'

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))

const data = dict({
  a: dict({ b: [dict({ name: 'one' }), 'two', dict({ 2: 'text key' })], n: null }),
  ints: new Map<Value, Value>([
    [1, 'int'],
    [1.5, 'float'],
    [false, 'bool'],
  ]),
  t: tuple(['x']),
})

describe('traverse', () => {
  it.each<[Value, Value]>([
    ['a:b:0', dict({ name: 'one' })],
    ['a:b:-2', 'two'],
    ['a:b:name', 'one'],
    ['a:b:1', 'two'],
    ['a:n', null],
    ['ints:1.5', 'float'],
    ['ints:1', 'int'],
    ['ints:off', 'bool'],
    [tuple(['a', 'b', 1]), 'two'],
    [['t', 0], 'x'],
    ['a:b:9', 'missing'],
    ['a:x', 'missing'],
    ['t:0', 'missing'],
    ['a:n:deeper', 'missing'],
  ])('at %j finds %j', (path, expected) => {
    expect(traverse(data, path, { default: 'missing' })).toEqual(expected)
  })

  it('takes another delimiter and gives None by default', () => {
    expect(traverse(data, 'a|b|name', { delimiter: '|' })).toBe('one')
    expect(traverse(data, 'nothing')).toBe(null)
    expect(() => traverse(data, 'a', { delimiter: '' })).toThrow('empty separator')
  })

  it('refuses a path that is no path', () => {
    expect(() => traverse(data, null)).toThrow("'NoneType' object is not iterable")
  })
})

describe('traverseDict', () => {
  it('follows dicts and nothing else', () => {
    expect(traverseDict(data, 'a:n', { default: 1 })).toBe(null)
    expect(traverseDict(data, 'a:b:0', { default: 'missing' })).toBe('missing')
    expect(traverseDict(data, 'ints:1', { default: 'missing' })).toBe('missing')
  })
})

describe('loadKeyPart', () => {
  it.each<[string, Value]>([
    ['010', 10],
    ['+010', 8],
    ['-0x1f', -31],
    ['1_0', '1_0'],
    ['-1_000', -1000],
    ['1.', new Float(1)],
    ['-.5', '-.5'],
    ['1e3', '1e3'],
    ['1:30', 90],
    ['1:30.5', 90.5],
    ['-.inf', Number.NEGATIVE_INFINITY],
    ['None', null],
    ['Off', false],
    ['y', 'y'],
    [' a ', 'a'],
    ["'it''s'", "it's"],
    ['5 #x', 5],
    ['a #x', 'a #x'],
    [' - a', ' - a'],
  ])('reads %j as %j', (part, expected) => {
    expect(loadKeyPart(part)).toEqual(expected)
  })
})

describe('filterBy', () => {
  const choices = (): Dict =>
    dict({ Debian: dict({ pkg: 'apache2' }), 'Red*': dict({ pkg: 'httpd' }), default: 'none', none: null })

  it.each<[Value, FilterByOptions, string]>([
    ['Debian', {}, "{'pkg': 'apache2'}"],
    ['RedHat', {}, "{'pkg': 'httpd'}"],
    ['Arch', {}, "'none'"],
    ['Arch', { default: 'Debian' }, "{'pkg': 'apache2'}"],
    ['Arch', { default: 'nothing' }, 'None'],
    [['Arch', 'RedHat'], {}, "{'pkg': 'httpd'}"],
    ['Debian', { merge: dict({ port: 80 }) }, "{'pkg': 'apache2', 'port': 80}"],
    ['Debian', { base: 'Red*' }, "{'pkg': 'apache2'}"],
    ['none', { default: 'none', merge: dict({ port: 80 }) }, "{'port': 80}"],
  ])('for %j with %j picks %s', (family, options, expected) => {
    expect(repr(filterBy(choices(), 'os:family', dict({ os: dict({ family }) }), options))).toBe(expected)
  })

  it.each<[FilterByOptions, string]>([
    [{ merge: [1] }, 'filter_by merge argument must be a dictionary.'],
    [{ base: 'Debian' }, 'filter_by default and look-up values must both be dictionaries.'],
  ])('refuses %j', (options, message) => {
    expect(() => filterBy(choices(), 'os', dict({ os: 'Arch' }), options)).toThrow(message)
  })
})
