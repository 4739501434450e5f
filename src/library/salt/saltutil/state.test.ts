import { expect, test } from 'vitest'
import { type Dict, toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import saltutil from './state.ts'

const synced: Dict = new Map<Value, Value>([
  ['modules', ['modules.x']],
  ['states', []],
])

const others = {
  'saltutil.sync_all': () => synced,
  'saltutil.sync_modules': () => ['modules.x'],
  'saltutil.sync_grains': () => [],
  'saltutil.sync_utils': () => {
    throw new Error('no master')
  },
}

test.each<[string, boolean, unknown, string, unknown]>([
  ['sync_all', false, true, 'Sync performed', { modules: ['modules.x'] }],
  ['sync_modules', false, true, 'Updated modules.', { modules: ['modules.x'] }],
  ['sync_grains', false, true, 'No updates to sync', {}],
  ['sync_utils', false, false, 'Failed to run sync_utils: no master', {}],
  ['sync_all', true, null, 'saltutil.sync_all would have been run', {}],
])('saltutil.%s (test: %s)', async (name, isTest, result, comment, changes) => {
  const report = toPlain(await tryState(saltutil, name, { kwargs: { name: 'x' }, others, test: isTest }))
  expect(report).toEqual({ name: 'x', result, comment, changes })
})
