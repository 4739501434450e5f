import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import event from './state.ts'

const kwargs = { name: 'my/tag', data: new Map<Value, Value>([['port', 80]]) }

test.each(['send', 'mod_watch', 'fire_master'])(
  'event.%s fires an event and shows it among the changes',
  async (name) => {
    const sent: Value[] = []
    const others = { 'event.send': ([tag]: readonly Value[]) => sent.push(tag ?? null) > 0 }
    const report = toPlain(await tryState(event, name, { kwargs, others }))
    const changes = { tag: 'my/tag', data: { port: 80 } }
    expect(report).toEqual({ name: 'my/tag', changes, result: true, comment: 'Event fired' })
    expect(sent).toEqual(['my/tag'])
  },
)

test('event.send fires nothing in a dry run', async () => {
  const report = await tryState(event, 'send', { kwargs: { ...kwargs, show_changed: false }, test: true })
  expect(toPlain(report)).toEqual({ name: 'my/tag', changes: {}, result: null, comment: 'Event would have been fired' })
})

test('event.wait fires nothing by itself', async () => {
  expect(toPlain(await tryState(event, 'wait', { kwargs }))).toMatchObject({ result: true, changes: {}, comment: '' })
})
