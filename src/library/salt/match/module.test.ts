import { describe, expect, test } from 'vitest'
import { type Dict, repr, type Value } from '../../../data/mod.ts'
import { toValue, tryFunction } from '../../../sdk/mod.ts'
import match from './module.ts'

const minion = {
  opts: toValue({ id: 'web1' }) as Dict,
  grains: toValue({ os: 'Debian', ipv4: ['10.0.0.5'], roles: ['web'] }) as Dict,
  pillar: toValue({ tier: 'front' }) as Dict,
}

describe('match', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['compound', ['G@os:Deb* and not db*'], {}, 'True'],
    ['compound', ['db*'], { minion_id: 'db7' }, 'True'],
    ['compound', [5], {}, 'False'],
    ['glob', ['web?'], {}, 'True'],
    ['list', [['a', 'web1']], {}, 'True'],
    ['pcre', ['('], {}, 'False'],
    ['pcre', ['web\\d'], {}, 'True'],
    ['grain', ['os|Debian'], { delimiter: '|' }, 'True'],
    ['grain_pcre', ['roles:w.b'], {}, 'True'],
    ['pillar', ['tier:front'], {}, 'True'],
    ['pillar_pcre', ['tier:^b'], {}, 'False'],
    ['ipcidr', ['10.0.0.0/8'], {}, 'True'],
    ['ipcidr', ['not an address'], {}, '[]'],
    ['data', ['a:b'], {}, 'False'],
    ['filter_by', [toValue({ 'db*': 1, 'web*': { a: 1 } })], { merge: toValue({ b: 2 }) }, "{'a': 1, 'b': 2}"],
    ['filter_by', [toValue({ 'db*': 1 })], {}, 'None'],
    ['filter_by', [toValue({ 'db*': 1, other: 2 })], { default: 'other' }, '2'],
    ['filter_by', [toValue({ a: 1 }), 'list_'], { minion_id: 'a' }, '1'],
    ['search_by', [toValue({ a: ['web*', '*'], b: ['x'] })], {}, "['a', 'a']"],
    ['search_by', [toValue({ b: ['x'] })], {}, 'None'],
    ['ifelse', ['db*', 'D', true, 'T', 'E'], {}, "'T'"],
    ['ifelse', [false, 'D', 'E'], {}, "'E'"],
    ['ifelse', ['only'], {}, "'only'"],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    expect(repr(await tryFunction(match, name, { ...minion, args, kwargs }))).toBe(wanted)
  })

  test.each<[string, Value[], Record<string, Value>, string]>([
    ['filter_by', [toValue({ a: 1 }), 'list'], {}, "'list'"],
    [
      'filter_by',
      [toValue({ a: 1 }), 'ipcidr'],
      { minion_id: 'x' },
      'ipcidr() takes 1 positional argument but 2 were given',
    ],
    ['ifelse', ['a', 'b'], {}, 'The ifelse function must have an odd number of arguments!'],
    ['list', [], {}, "list_() missing 1 required positional argument: 'tgt'"],
  ])('.%s%j %j fails', async (name, args, kwargs, message) => {
    await expect(tryFunction(match, name, { ...minion, args, kwargs })).rejects.toThrow(message)
  })
})
