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

test('queue.process_queue without a name processes the only queue', async () => {
  const fired: string[] = []
  const master = (...names: string[]): Partial<MasterContext> => ({
    ownQueues: async () => undefined,
    queues: () => ({ names: () => names, pop: () => ['web1'] }) as unknown as QueueStore,
    fire: async (tag) => void fired.push(tag),
  })
  const processed = { items: ['web1'], backend: 'sqlite', queue: 'updates' }
  expect(await callOn(master('updates'), queue, 'process_queue')).toEqual(processed)
  expect(fired).toEqual(['salt/queue/updates/process'])
  await expect(callOn(master('b', 'a'), queue, 'process_queue')).rejects.toThrow('No queue is given. Name one of a, b')
  await expect(callOn(master(), queue, 'process_queue')).rejects.toThrow(
    'No queue is given, and the queue module sqlite has none',
  )
})
