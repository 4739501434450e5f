import { expect, test } from 'vitest'
import { type Dict, decodeMsgpack, encodeMsgpack, type Value } from '../../../../data/mod.ts'
import { formatJob } from './format.ts'
import { packedList } from './packed-list.ts'

const dict = (entries: Record<string, Value>): Dict => new Map<Value, Value>(Object.entries(entries))

const LOADS = [
  dict({ fun: 'test.ping', arg: [], tgt: '*', tgt_type: 'glob', jid: 'x', user: 'sudo_é', kwargs: new Map() }),
  dict({}),
  dict({ fun: null, arg: null, tgt: ['a', 'b'], tgt_type: null, user: null }),
  dict({ fun: ['a', 'b'], arg: [['x'], ['y', 1]], tgt: 'é'.repeat(5000) }),
  dict({ fun: 'a', arg: 'alone' }),
  dict({ fun: 'a', arg: ['x', dict({ __kwarg__: true, metadata: 'm' })] }),
  dict({ fun: 'a', arg: [dict({ b: 1 })], kwargs: dict({ metadata: dict({ c: 1 }) }) }),
  dict({ fun: 'a', metadata: null, kwargs: dict({ d: 1 }) }),
]

function packed(jids: readonly string[], loads: readonly Dict[]) {
  const all = loads.map((load) => Buffer.from(encodeMsgpack(load, 'bus')))
  const ends = all.map((_, index) => Buffer.concat(all.slice(0, index + 1)).length)
  return { jids, bytes: Buffer.concat(all), ends }
}

test('a list that is made of packed loads has what each job is formatted to', () => {
  const jids = LOADS.map((_, index) => `2026110100000000000${index}${index === 1 ? '_12345678901234' : ''}`)
  const list = packedList(packed([...jids, 'req'], [...LOADS, dict({ fun: 'x' })]))!
  const expected = jids.map((jid, index): [string, Dict] => [jid, formatJob(jid, LOADS[index])])
  expect([...list.unpack()].map(([jid, job]) => [jid, [...(job as Dict)]])).toEqual(
    expected.map(([jid, job]) => [jid, [...job]]),
  )
  expect(decodeMsgpack(list.bytes, { dialect: 'bus' })).toEqual(new Map(expected))
  expect(Buffer.from(list.bytes)).toEqual(Buffer.from(encodeMsgpack(new Map(expected), 'bus')))
})

test('ids that are too long for a packed list are left to others', () => {
  expect(packedList(packed([`20261101000000000000_${'1'.repeat(200)}`], [dict({})]))).toBeUndefined()
})
