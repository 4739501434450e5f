import { expect, test } from 'vitest'
import type { MasterContext, QueueStore } from '../../../sdk/mod.ts'
import { callOn } from '../common/try-master-function.test-support.ts'
import queue from './runner.ts'

/** Return a master with one queue in memory. */
function masterWith(items: string[]): Partial<MasterContext> {
  const store: Partial<QueueStore> = {
    delete: (_queue, gone) => void items.splice(0, items.length, ...items.filter((item) => !gone.includes(item))),
    pop: (_queue, count) => items.splice(0, count ?? items.length),
  }
  return { ownQueues: async () => undefined, queues: () => store as QueueStore }
}

test('queue.delete removes one item or a list of items', async () => {
  const items = ['a', 'b', 'c', 'd']
  expect(await callOn(masterWith(items), queue, 'delete', 'q', 'b')).toBe(true)
  expect(await callOn(masterWith(items), queue, 'delete', 'q', ['a', 'd'])).toBe(true)
  expect(items).toEqual(['c'])
})

test('queue.pop removes and returns the first items', async () => {
  const items = ['a', 'b', 'c']
  expect(await callOn(masterWith(items), queue, 'pop', 'q')).toEqual(['a'])
  expect(await callOn(masterWith(items), queue, 'pop', 'q', 'all')).toEqual(['b', 'c'])
  expect(items).toEqual([])
})

test('queue.pop refuses a quantity that is not a number', async () => {
  await expect(callOn(masterWith([]), queue, 'pop', 'q', 'some')).rejects.toThrow(
    'Quantity must be an integer or "all".',
  )
})

test('queue.pop refuses an unknown queue module', async () => {
  await expect(callOn(masterWith([]), queue, 'pop', 'q', 1, 'redis')).rejects.toThrow(
    'Function "redis.pop" is not available',
  )
})
