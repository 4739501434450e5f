import { expect, test } from 'vitest'
import type { Value } from '../../../../data/mod.ts'
import type { MasterReach } from '../../../../sdk/mod.ts'
import { inBatches } from './batch.ts'

/** A master that yields events until the listener ends. */
function master(begin: () => Promise<string>): { reach: MasterReach; closed: () => boolean } {
  let isClosed = false
  const events = {
    [Symbol.asyncIterator]: () => events,
    next: async () => ({
      done: false,
      value: { tag: 'salt/batch/7/complete', data: new Map(), origin: { kind: 'master' } },
    }),
    return: async () => {
      isClosed = true
      return { done: true, value: undefined }
    },
  }
  const reach = {
    run: async function* () {
      yield { id: 'web1', data: new Map<Value, Value>([['return', true]]) }
    },
    events: () => events,
    beginBatch: begin,
  }
  return { reach: reach as unknown as MasterReach, closed: () => isClosed }
}

test.each([
  ['that cannot begin', async () => Promise.reject(new Error('Invalid batch specification')), /Invalid batch/],
  ['that is complete', async () => '7', undefined],
])('A batch %s leaves no listener', async (_name, begin, failure) => {
  const { reach, closed } = master(begin)
  const gather = async (): Promise<void> => {
    for await (const _answer of inBatches(reach, job, '1', wish));
  }
  if (failure) await expect(gather()).rejects.toThrow(failure)
  else await gather()
  expect(closed()).toBe(true)
})

const job = { tgt: 'web1', fun: 'test.ping' }
const wish = { failhard: false, gatherJobTimeout: 1 }
