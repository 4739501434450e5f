import { expect, test } from 'vitest'
import { type Dict, decodeMsgpack, dictFrom, encodeMsgpack } from '../../../../data/mod.ts'
import { formatJob } from './format.ts'
import { packedList } from './packed-list.ts'

const LOADS = [
  dictFrom({ fun: 'test.ping', arg: [], tgt: '*', tgt_type: 'glob', jid: 'x', user: 'sudo_é', kwargs: new Map() }),
  dictFrom({}),
  dictFrom({ fun: null, arg: null, tgt: ['a', 'b'], tgt_type: null, user: null }),
  dictFrom({ fun: ['a', 'b'], arg: [['x'], ['y', 1]], tgt: 'é'.repeat(5000) }),
  dictFrom({ fun: 'a', arg: 'alone' }),
  dictFrom({ fun: 'a', arg: ['x', dictFrom({ __kwarg__: true, metadata: 'm' })] }),
  dictFrom({ fun: 'a', arg: [dictFrom({ b: 1 })], kwargs: dictFrom({ metadata: dictFrom({ c: 1 }) }) }),
  dictFrom({ fun: 'a', metadata: null, kwargs: dictFrom({ d: 1 }) }),
]

function packed(jids: readonly string[], loads: readonly Dict[]) {
  const all = loads.map((load) => Buffer.from(encodeMsgpack(load, 'bus')))
  const ends = all.map((_, index) => Buffer.concat(all.slice(0, index + 1)).length)
  return { jids, bytes: Buffer.concat(all), ends }
}

test('a list that is made of packed loads has what each job is formatted to', () => {
  const jids = LOADS.map((_, index) => `2026110100000000000${index}${index === 1 ? '_12345678901234' : ''}`)
  const list = packedList(packed([...jids, 'req'], [...LOADS, dictFrom({ fun: 'x' })]))!
  const expected = jids.map((jid, index): [string, Dict] => [jid, formatJob(jid, LOADS[index])])
  expect([...list.unpack()].map(([jid, job]) => [jid, [...(job as Dict)]])).toEqual(
    expected.map(([jid, job]) => [jid, [...job]]),
  )
  expect(decodeMsgpack(list.bytes, { dialect: 'bus' })).toEqual(new Map(expected))
  expect(Buffer.from(list.bytes)).toEqual(Buffer.from(encodeMsgpack(new Map(expected), 'bus')))
})

test('ids that are too long for a packed list are left to others', () => {
  expect(packedList(packed([`20261101000000000000_${'1'.repeat(200)}`], [dictFrom({})]))).toBeUndefined()
})

test('jobs of every month have their time, and ids of no month theirs', () => {
  const months = Array.from({ length: 14 }, (_, month) => String(month).padStart(2, '0'))
  const jids = [
    ...months.map((month) => `2031${month}29182736456789`),
    '20310229182736456789_77',
    '99999999999999999999',
  ]
  const list = packedList(packed(jids, Array(jids.length).fill(LOADS[0]!)))!
  expect(decodeMsgpack(list.bytes, { dialect: 'bus' })).toEqual(
    new Map(jids.map((jid) => [jid, formatJob(jid, LOADS[0]!)])),
  )
})
