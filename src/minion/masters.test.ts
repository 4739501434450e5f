import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Value } from '../data/mod.ts'
import { masterGroups } from './masters.ts'

const groups = (options: Record<string, Value>) =>
  masterGroups(new Map(Object.entries({ id: 'web1', ...options })), silentLog, () => 0)

test.each<[string, Record<string, Value>, string[][]]>([
  ['one master', { master: 'a' }, [['a']]],
  ['a list is used all at once', { master: ['a', 'b'] }, [['a'], ['b']]],
  ['failover keeps to one of them', { master: ['a', 'b'], master_type: 'failover' }, [['a', 'b']]],
  ['a single name may fail over too', { master: 'a', master_type: 'failover' }, [['a']]],
  [
    'random_master shuffles',
    { master: ['a', 'b', 'c'], master_type: 'failover', random_master: true },
    [['b', 'c', 'a']],
  ],
  [
    'failback keeps the first in front',
    { master: ['a', 'b', 'c'], master_type: 'failover', random_master: true, master_failback: true },
    [['a', 'c', 'b']],
  ],
  ['disable needs none', { master: 'a', master_type: 'disable' }, []],
])('Masters: %s', (_name, options, expected) => {
  expect(groups(options).map(({ names }) => names)).toEqual(expected)
})

test('A distributed minion always finds the same master first', () => {
  const [group] = groups({ master: ['a', 'b', 'c'], master_type: 'distributed' })
  expect(group!.names).toHaveLength(3)
  expect(groups({ master: ['a', 'b', 'c'], master_type: 'distributed' })[0]).toEqual(group)
})

test('An unknown master_type is refused by name', () => {
  expect(() => groups({ master: 'a', master_type: 'nearest' })).toThrow(
    "Invalid keyword 'nearest' for variable 'master_type'",
  )
})
