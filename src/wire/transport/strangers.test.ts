import { expect, it } from 'vitest'
import { decodeMsgpack } from '../../data/mod.ts'
import { limitedHost } from './hosts.ts'
import { type Stranger, Strangers } from './strangers.ts'

/** Meet a peer at this address. */
const meet = (strangers: Strangers, address: string): Stranger =>
  strangers.meet({ peer: { address }, host: limitedHost(address), prove: () => {}, heard: () => {} })

/** A list of so many numbers. */
function numbers(count: number): Buffer {
  const head = Buffer.from([0xdd, 0, 0, 0, 0])
  head.writeUInt32BE(count, 1)
  return Buffer.concat([head, Buffer.alloc(count, 1)])
}

it('a host that sends many values is read no further, others are, and time forgives', () => {
  let now = 0
  const strangers = new Strangers(1 << 28, () => now)
  const read = (address: string, count: number): unknown =>
    decodeMsgpack(numbers(count), { dialect: 'wire', ...meet(strangers, address).reading })
  read('192.0.2.7', 199_999)
  expect(() => read('192.0.2.7', 200_000)).toThrow('it has more than the 50000 values allowed')
  expect(() => read('192.0.2.7', 1000)).toThrow('it has more than the 160 values allowed')
  expect(read('192.0.2.7', 60)).toHaveLength(60)
  expect(read('192.0.2.8', 1000)).toHaveLength(1000)
  now += 10_000
  expect(read('192.0.2.7', 100_000)).toHaveLength(100_000)
})

it('a host of a minion may send larger messages, and as many values as it likes', () => {
  let now = 0
  const strangers = new Strangers(1 << 28, () => now)
  const one = meet(strangers, '2001:db8::7')
  expect([one.isProven(), one.largest()]).toEqual([false, 1 << 26])
  one.peer.prove!('web1')
  const another = meet(strangers, '2001:db8::8')
  expect([another.isProven(), another.largest()]).toEqual([true, 1 << 28])
  for (let i = 0; i < 4; i++) decodeMsgpack(numbers(100_000), { dialect: 'wire', ...another.reading })
  expect([another.takeValues(), another.takeValues()]).toEqual([400_004, 0])
  expect(meet(strangers, '2001:db8:0:1::7').isProven()).toBe(false)
  now += 2 * 3_600_000
  expect(another.isProven()).toBe(false)
})
