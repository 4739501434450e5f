import { describe, expect, test } from 'vitest'
import { type Dict, OrderedDict, repr, type Value } from '../../../data/mod.ts'
import { toValue, tryFunction } from '../../../sdk/mod.ts'
import grains from './module.ts'

const facts = toValue({
  id: 'web1.example.com',
  os_family: 'Debian',
  osmajorrelease: 12,
  roles: ['db', 'web'],
  serialnumber: 'abcdefgh',
  nested: { k: { v: 1 } },
  ordered: new OrderedDict([[1, 'one']]),
}) as Dict

describe('grains', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['get', ['nested:k:v'], {}, '1'],
    ['get', ['nested/k'], { delimiter: '/' }, "{'v': 1}"],
    ['get', ['nope'], {}, "''"],
    ['get', ['nope', 'd'], {}, "'d'"],
    ['get', ['ordered'], { ordered: false }, "{'1': 'one'}"],
    ['fetch', ['id'], {}, "'web1.example.com'"],
    ['has_value', ['nested:k'], {}, 'True'],
    ['has_value', ['nested:x'], {}, 'False'],
    ['item', ['id', 'nested:k:v'], {}, "{'id': 'web1.example.com', 'nested:k:v': 1}"],
    ['item', ['serialnumber'], { sanitize: true }, "{'serialnumber': 'abcdefXX'}"],
    ['item', ['id'], { sanitize: 'False' }, "{'id': 'web1.example.com'}"],
    ['ls', [], {}, "['id', 'nested', 'ordered', 'os_family', 'osmajorrelease', 'roles', 'serialnumber']"],
    ['equals', ['osmajorrelease', '12'], {}, 'True'],
    ['equals', ['id', 'x'], {}, 'False'],
    ['filter_by', [toValue({ Debian: { pkg: 'apache2' }, RedHat: {} })], {}, "{'pkg': 'apache2'}"],
    ['filter_by', [toValue({ web: 1, db: 2 }), 'roles'], {}, '2'],
    ['filter_by', [toValue({ '1*': 'new' }), 'osmajorrelease'], {}, "'new'"],
    ['filter_by', [toValue({ x: 1 })], { default: 'x' }, '1'],
    [
      'filter_by',
      [toValue({ base: { a: 1, n: { x: 1 } }, Debian: { n: { y: 2 } } })],
      { base: 'base' },
      "{'a': 1, 'n': {'x': 1, 'y': 2}}",
    ],
    ['filter_by', [toValue({ Debian: { a: 1 } })], { merge: toValue({ b: 2 }) }, "{'a': 1, 'b': 2}"],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    expect(repr(await tryFunction(grains, name, { grains: facts, args, kwargs }))).toBe(wanted)
  })

  test('.items hides grains that identify the machine, on request', async () => {
    const all = (await tryFunction(grains, 'items', { grains: facts, kwargs: { sanitize: true } })) as Dict
    expect([all.get('id'), all.get('serialnumber'), all.get('osmajorrelease')]).toEqual([
      'MINION.DOMAINNAME',
      'abcdefXX',
      12,
    ])
    expect(facts.get('id')).toBe('web1.example.com')
  })

  test('.filter_by refuses to merge what is no dict', async () => {
    const trial = { grains: facts, args: [toValue({ Debian: 1 })], kwargs: { merge: 'x' } }
    await expect(tryFunction(grains, 'filter_by', trial)).rejects.toThrow(
      'filter_by merge argument must be a dictionary.',
    )
  })
})
