import { expect, it } from 'vitest'
import { decodeMsgpack } from '../../data/mod.ts'
import { Strangers } from './strangers.ts'

/** A list of so many empty mappings. */
function mappings(count: number): Buffer {
  const head = Buffer.from([0xdd, 0, 0, 0, 0])
  head.writeUInt32BE(count, 1)
  return Buffer.concat([head, Buffer.alloc(count, 0x80)])
}

it('a host that sends many values is read no further, others are, and time forgives', () => {
  let now = 0
  const strangers = new Strangers(1 << 28, () => now)
  const read = (address: string, count: number): unknown =>
    decodeMsgpack(mappings(count), { dialect: 'wire', ...strangers.meet({ address }).reading })
  read('192.0.2.7:40000', 200_000)
  expect(() => read('192.0.2.7:40001', 200_000)).toThrow('it has more than the 50000 values allowed')
  expect(() => read('192.0.2.7:40002', 1000)).toThrow('it has more than the 64 values allowed')
  expect(read('192.0.2.7:40003', 60)).toHaveLength(60)
  expect(read('192.0.2.8:40000', 1000)).toHaveLength(1000)
  now += 10_000
  expect(read('192.0.2.7:40004', 100_000)).toHaveLength(100_000)
})

it('a host of a minion may send larger messages, and as many values as it likes', () => {
  let now = 0
  const strangers = new Strangers(1 << 28, () => now)
  const one = strangers.meet({ address: '[2001:db8::7]:40000' })
  expect([one.isProven(), one.largest()]).toEqual([false, 1 << 26])
  one.peer.prove!()
  const another = strangers.meet({ address: '[2001:db8::7]:40001' })
  expect([another.isProven(), another.largest()]).toEqual([true, 1 << 28])
  for (let i = 0; i < 4; i++) decodeMsgpack(mappings(100_000), { dialect: 'wire', ...another.reading })
  expect(strangers.meet({ address: '[2001:db8::8]:40000' }).isProven()).toBe(false)
  now += 2 * 3_600_000
  expect(another.isProven()).toBe(false)
})
