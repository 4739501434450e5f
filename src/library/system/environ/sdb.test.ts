import { expect, test } from 'vitest'
import { MemoryHost } from '../../../host/mod.ts'
import { trySdb } from '../../../sdk/mod.ts'
import env from './sdb.ts'

test('A variable is read, and set once', async () => {
  const host = await MemoryHost.with({ env: { FOO: 'bar' } })
  expect(await trySdb(env, 'get', { key: 'FOO', host })).toBe('bar')
  expect(await trySdb(env, 'get', { key: 'NEW', host })).toBeNull()
  expect(await trySdb(env, 'set', { key: 'NEW', value: 'v', host })).toBe('v')
  expect(await trySdb(env, 'set', { key: 'NEW', value: 'w', host })).toBe('v')
  expect(await trySdb(env, 'get', { key: 'NEW', host })).toBe('v')
  await expect(trySdb(env, 'set', { key: 'OTHER', value: 5, host })).rejects.toThrow('str expected, not int')
  await expect(trySdb(env, 'delete', { key: 'FOO', host })).rejects.toThrow("The sdb driver 'env' cannot delete values")
})
