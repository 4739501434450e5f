import { expect, it } from 'vitest'
import { BusTap, EventBus, eventStream } from './mod.ts'

it('an event stream yields events after its creation, and ends when other code ends it', async () => {
  const bus = new EventBus()
  const stream = eventStream(new BusTap(bus, (tag) => tag.startsWith('a/')))
  bus.fire('b/1', new Map())
  bus.fire('a/1', new Map())
  expect((await stream.next()).value?.tag).toBe('a/1')
  const waiting = stream.next()
  await stream.return?.()
  expect((await waiting).done).toBe(true)
})

it('an event stream ends after some time without an event', async () => {
  const stream = eventStream(new BusTap(new EventBus(), () => true), 0.01)
  expect((await stream.next()).done).toBe(true)
})
