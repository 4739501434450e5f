import { expect, it } from 'vitest'
import { decodeMsgpack } from '../../data/mod.ts'
import { Allowances } from './allowance.ts'

/** A list of so many empty mappings. */
const mappings = (count: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xdd, count >>> 24, (count >> 16) & 255, (count >> 8) & 255, count & 255]),
    Buffer.alloc(count, 0x80),
  ])

it('ends the reading of a host that sends many values, lets others be, and forgives with time', () => {
  let now = 0
  const allowances = new Allowances(() => now)
  const read = (address: string, count: number): unknown =>
    decodeMsgpack(mappings(count), { dialect: 'wire', allowance: allowances.of(address) })
  read('192.0.2.7:40000', 200_000)
  expect(() => read('192.0.2.7:40001', 200_000)).toThrow('it has more than the 50000 values allowed')
  expect(() => read('192.0.2.7:40002', 1000)).toThrow('it has more than the 64 values allowed')
  expect(read('192.0.2.7:40003', 60)).toHaveLength(60)
  expect(read('192.0.2.8:40000', 1000)).toHaveLength(1000)
  now += 10_000
  expect(read('192.0.2.7:40004', 100_000)).toHaveLength(100_000)
})

it('does not remember hosts without end', () => {
  const allowances = new Allowances(() => 0)
  const first = allowances.of('host-0:1')
  first.spend(1000)
  for (let i = 1; i < 10_000; i++) allowances.of(`host-${i}:1`)
  allowances.of('one-more:1')
  expect(allowances.of('host-0:1')).toBe(first)
  expect(allowances.of('host-1:1').left).toBe(250_000)
})
