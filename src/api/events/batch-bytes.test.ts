import { expect, it } from 'vitest'
import { silentLog } from '../../base/mod.ts'
import { EventBus } from '../../bus/mod.ts'
import { BatchBytes } from './batch-bytes.ts'
import { HubEvent } from './hub-event.ts'
import { SALT_STREAM, STREAM } from './sse.ts'

it('encodes the same events once for all readers of a form', () => {
  const bus = new EventBus()
  const [one, two, three] = ['a', 'b', 'c'].map((tag) => new HubEvent(bus.fire(tag, new Map()), silentLog))
  const batches = new BatchBytes()
  const shared = batches.of([one!, two!], SALT_STREAM.event)
  expect(shared.toString()).toMatch(/^tag: a\ndata: .*\n\ntag: b\ndata: .*\n\n$/)
  // readers with another form, or with other events
  expect(batches.of([one!, two!], STREAM.event).toString()).toMatch(/^id: 1\ndata: .*\n\nid: 2\ndata: .*\n\n$/)
  expect(batches.of([one!, three!], SALT_STREAM.event).toString()).toMatch(/^tag: a\n.*\n\ntag: c\n.*\n\n$/)
  expect(batches.of([one!, two!], SALT_STREAM.event)).toBe(shared)
})
