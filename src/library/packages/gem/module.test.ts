import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import gem from './module.ts'

// gem 3.3 takes an empty text for version 0, and Debian's gem refuses to update itself
test.each<[Value[], string[]]>([
  [[], ['gem', 'update', '--system']],
  [['3.4.0'], ['gem', 'update', '--system', '3.4.0']],
])('gem.update_system %j runs %j', async (args, words) => {
  const ran: Value[] = []
  const others = {
    'cmd.run_all': ([given]: readonly Value[]) => {
      ran.push(given!)
      return new Map<Value, Value>([['retcode', 0]])
    },
  }
  await tryFunction(gem, 'update_system', { args, others })
  expect(ran).toEqual([words])
})
