import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import data from './module.ts'

test('the data store keeps values between calls', async () => {
  const host = new MemoryHost()
  await host.makeDirectory('/cache')
  const opts = new Map<Value, Value>([['cachedir', '/cache']])
  const call = (name: string, ...args: Value[]): Promise<Value> => tryFunction(data, name, { host, opts, args })
  expect(await call('items')).toEqual(new Map())
  expect(await call('update', 'a', [1, 'x'])).toBe(true)
  expect(await call('get', 'a')).toEqual([1, 'x'])
  expect(await call('cas', 'a', 2, 3)).toBe(false)
  expect(await call('cas', 'a', 2, [1, 'x'])).toBe(true)
  expect(await call('get', ['a', 'b'])).toEqual([2])
  expect(await call('pop', 'a')).toBe(2)
  expect(await call('keys')).toEqual([])
  expect(await call('clear')).toBe(true)
})
