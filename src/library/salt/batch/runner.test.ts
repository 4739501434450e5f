import { expect, test } from 'vitest'
import { callOn, memoryCache } from '../common/try-master-function.test-support.ts'
import batch from './runner.ts'

test('list_active returns the batches that are neither stopped nor done', async () => {
  const cache = memoryCache({
    batch: {
      '1': { jid: '1', fun: 'test.ping', pending: ['web2'], active: { web1: 1 }, all_minions: ['web1', 'web2'] },
      '2': { jid: '2', pending: [], active: {} },
      '3': { jid: '3', pending: ['web1'], halted: true },
    },
  })
  const active = await callOn({ cache }, batch, 'list_active')
  expect(active).toMatchObject([{ jid: '1', fun: 'test.ping', total: 2, completed: 0, active: 1, pending: 1 }])
})
