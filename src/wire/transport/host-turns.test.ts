import { expect, it } from 'vitest'
import { until } from '../../../test/until.ts'
import { inTurn } from './host-turns.ts'

/** Keep the event loop for longer than a turn. */
function work(): void {
  for (const end = performance.now() + 15; performance.now() < end; );
}

it('after a message that takes long everything else runs, and the next message is that of another host', async () => {
  const order: string[] = []
  const read = (name: string) => () => {
    order.push(name)
    work()
    // messages of others in the meantime
    if (name === 'greedy 1') setImmediate(() => inTurn('192.0.2.8', read('other')))
  }
  for (const number of [1, 2, 3, 4]) inTurn('192.0.2.7', read(`greedy ${number}`))
  await until('all messages are read', () => order.length === 5)
  expect(order).toEqual(['greedy 1', 'greedy 2', 'other', 'greedy 3', 'greedy 4'])
})

it('short messages are read at once', async () => {
  const order: string[] = []
  for (const name of ['a', 'b', 'c']) inTurn('192.0.2.7', () => order.push(name))
  await until('all messages are read', () => order.length === 3)
  expect(order).toEqual(['a', 'b', 'c'])
})
