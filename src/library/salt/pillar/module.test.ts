import { describe, expect, test } from 'vitest'
import { type Dict, Float, PyError, PyObject, repr, tuple, type Value } from '../../../data/mod.ts'
import { type Trial, toValue, tryFunction } from '../../../sdk/mod.ts'
import pillar from './module.ts'

const data = toValue({
  a: { b: { c: 1 }, l: [1, 2], text: 'swordfish', nothing: null, empty: '' },
  role: 'web',
  pair: tuple(['x', new Float(1)]),
}) as Dict

const call = (name: string, args: Value[], more: Trial = {}) =>
  tryFunction(pillar, name, { pillar: data, args, ...more })

describe('pillar', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['get', ['a:b:c'], {}, '1'],
    ['get', ['a/b/c'], { delimiter: '/' }, '1'],
    ['get', ['nope'], {}, "''"],
    ['get', ['nope', null], {}, 'None'],
    ['get', ['a:nothing', 'd'], {}, 'None'],
    ['get', [['a', 'l']], {}, '[1, 2]'],
    ['get', ['a:b', new Map([['x', 1]])], { merge: true }, "{'x': 1, 'c': 1}"],
    ['get', ['a:l', [9, 1]], { merge: true }, '[9, 1, 2]'],
    ['get', ['a:l', 'x'], { merge: true }, '[1, 2]'],
    ['get', ['a:b', [1]], { merge: true }, "{'c': 1}"],
    ['get', ['nope', new Map([['x', 1]])], { merge: true }, "{'x': 1}"],
    ['fetch', ['role'], {}, "'web'"],
    ['item', ['role', 'no:where'], {}, "{'role': 'web', 'no:where': ''}"],
    ['item', ['a:b:c', 'x'], { default: 'D' }, "{'a:b:c': 1, 'x': 'D'}"],
    ['raw', ['role'], {}, "'web'"],
    ['raw', ['nope'], {}, '{}'],
    ['keys', ['a:b'], {}, "['c']"],
    ['ls', [], {}, "['a', 'role', 'pair']"],
    ['items', ['role'], {}, "{'role': 'web'}"],
    ['filter_by', [new Map([['w*', 'W']]), 'role'], {}, "'W'"],
    [
      'filter_by',
      [
        new Map([
          ['x', 'W'],
          ['default', 'D'],
        ]),
        'role',
      ],
      {},
      "'D'",
    ],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    expect(repr(await call(name, args, { kwargs }))).toBe(wanted)
  })

  test('.obfuscate shows types in place of values', async () => {
    expect(repr(await call('obfuscate', []))).toBe(
      "{'a': {'b': {'c': '<int>'}, 'l': ['<int>', '<int>'], 'text': '<str>', 'nothing': '<NoneType>', " +
        "'empty': '<str>'}, 'role': '<str>', 'pair': ('<str>', '<float>')}",
    )
  })

  test('masks text on a terminal, and shows it on request', async () => {
    const masked = "{'b': {'c': 1}, 'l': [1, 2], 'text': '**********', 'nothing': None, 'empty': ''}"
    expect(repr(await call('get', ['a'], { masked: true }))).toBe(masked)
    expect(repr(await call('get', ['a'], { kwargs: { unmask: false } }))).toBe(masked)
    expect(await call('get', ['a:text'], { masked: true, kwargs: { unmask: true } })).toBe('swordfish')
    expect(await call('raw', ['role'], { masked: true })).toBe('web')
  })

  test('shows why parts of the pillar are missing, without secrets and lines of files', async () => {
    const quoted = "Rendering SLS 'db' failed: Jinja error: no user 'hunter22'; line 2\n\n---\npw: swordfish\n---"
    const pillar = toValue({
      user: 'somebody',
      db: { password: 'hunter22' },
      _errors: [quoted, 'No file in base'],
    }) as Dict
    const shown = "Rendering SLS 'db' failed: Jinja error: no user '**********'; line 2"
    for (const name of ['items', 'data']) {
      const masked = (await call(name, [], { pillar, masked: true })) as Dict
      expect(masked.get('_errors')).toEqual([shown, 'No file in base'])
      expect(masked.get('user')).toBe('**********')
    }
    const whole = (await call('items', [], { pillar, masked: true, kwargs: { unmask: true } })) as Dict
    expect(whole.get('_errors')).toEqual([quoted, 'No file in base'])
  })

  test('raises for a missing key only when pillar_raise_on_missing says so', async () => {
    const opts: Dict = new Map([['pillar_raise_on_missing', true]])
    await expect(call('get', ['nope'], { opts })).rejects.toThrow("'Pillar key not found: nope'")
    expect(await call('get', ['nope', 'd'], { opts })).toBe('d')
    await expect(call('keys', ['nope'])).rejects.toThrow("'Pillar key not found: nope'")
    await expect(call('keys', ['role'])).rejects.toThrow('Pillar value in key role is not a dict')
  })

  test('fails for a default that may not be compared, found or not', async () => {
    class Missing extends PyObject {
      readonly typeName = 'Missing'
      override equals(): boolean {
        throw new PyError('ValueError', 'is undefined')
      }
    }
    await expect(call('get', ['role', new Missing()])).rejects.toThrow('is undefined')
  })

  test('compiles a fresh pillar for another environment', async () => {
    const asked: unknown[] = []
    const context = {
      freshPillar: async (request: unknown) => {
        asked.push(request)
        return new Map<Value, Value>([['a', 'dev']])
      },
    }
    expect(await call('get', ['a'], { context, kwargs: { pillarenv: 'dev' } })).toBe('dev')
    await call('ext', ['{cmd_yaml: date}'], { context })
    expect(asked).toEqual([
      { pillarenv: 'dev', override: null, overrideEncoding: null },
      { pillarenv: null, override: null, overrideEncoding: null, ext: new Map([['cmd_yaml', 'date']]) },
    ])
  })
})
