import { describe, expect, it } from 'vitest'
import type { Dict, Value } from '../value.ts'
import { decodeMsgpack } from './decode.ts'
import { encodeMsgpack } from './encode.ts'
import { Packed } from './packed.ts'

const bytes = (...parts: Array<number | Uint8Array>): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)))

/** A mapping with this many keys, each with the value 1. */
function mapping(count: number, key: (index: number) => Buffer): Buffer {
  const head = Buffer.from([0xdf, 0, 0, 0, 0])
  head.writeUInt32BE(count, 1)
  return Buffer.concat([head, ...Array.from({ length: count }, (_, index) => bytes(key(index), 1))])
}

function wide(mark: number, write: (place: Buffer) => void): Buffer {
  const place = Buffer.alloc(9)
  place[0] = mark
  write(place)
  return place
}

const KEYS: Array<[string, (index: number) => Buffer]> = [
  ['whole floats', (index) => wide(0xcb, (place) => place.writeDoubleBE(index, 1))],
  ['large numbers', (index) => wide(0xcf, (place) => place.writeBigUInt64BE(2n ** 63n + BigInt(index), 1))],
  ['numbers', (index) => bytes(0xcd, index >> 8, index & 255)],
  ['bytes', (index) => bytes(0xc4, 4, 0xff, index >> 16, (index >> 8) & 255, index & 255)],
]

/** The smallest limit within which a message is read. */
function costOf(message: Uint8Array): number {
  for (let maxValues = 0; ; maxValues++) {
    try {
      decodeMsgpack(message, { dialect: 'wire', maxValues })
      return maxValues
    } catch (error) {
      if (!String(error).includes('values allowed')) throw error
    }
  }
}

describe('the cost of a message', () => {
  it.each<[string, Uint8Array, number]>([
    ['a number', bytes(1), 0],
    ['two numbers in a list', bytes(0x92, 1, 2), 3],
    ['a list of three empty mappings', bytes(0x93, 0x80, 0x80, 0x80), 13],
    ['a mapping of two entries', encodeMsgpack({ a: 1, b: 2 }, 'wire'), 7],
    ['a list of what is no text', bytes(0x91, 0xc4, 1, 0xff), 4],
  ])('counts %s', (_what, message, cost) => {
    expect(costOf(message)).toBe(cost)
  })

  it.each(KEYS)('of %s as keys grows faster than their number, because they may fall into one bucket', (_what, key) => {
    const read = (count: number): Value => decodeMsgpack(mapping(count, key), { dialect: 'wire', maxValues: 250_000 })
    expect(read(4000)).toHaveProperty('size', 4000)
    expect(() => read(20_000)).toThrow('250000 values allowed')
  })

  it('of texts as keys is that of their entries', () => {
    const key = (index: number): Buffer => Buffer.from(encodeMsgpack(`key ${index}`, 'wire'))
    const message = mapping(50_000, key)
    expect(decodeMsgpack(message, { dialect: 'wire', maxValues: 100_003 })).toHaveProperty('size', 50_000)
  })
})

it('a constant is no key, because comparing constants prints what they hold', () => {
  const constant = bytes(0xc7, 4, 0x4f, 0x92, 0xa1, 0x78, 1)
  expect(() => decodeMsgpack(bytes(0x81, constant, 1), { dialect: 'wire' })).toThrow('a constant as a key')
})

describe('a value that stays packed', () => {
  const leavesPacked = (key: string): boolean => key === 'return'
  const read = (returned: Buffer): Value => {
    const message = bytes(0x81, Buffer.from(encodeMsgpack('return', 'wire')), returned)
    const decoded = decodeMsgpack(message, { dialect: 'wire', leavesPacked, maxValues: 1000, maxPackedValues: 100_000 })
    return (decoded as Dict).get('return')!
  }

  it('costs as much as its decoding', () => {
    const key = (index: number): Buffer => Buffer.from(encodeMsgpack(`key ${index}`, 'wire'))
    const packed = read(mapping(100, key))
    expect(packed).toBeInstanceOf(Packed)
    expect((packed as Packed).values).toBe(costOf(mapping(100, key)))
    const floats = read(mapping(200, KEYS[0]![1])) as Packed
    expect(floats.values).toBe(costOf(mapping(200, KEYS[0]![1])))
  })

  it('has more keys that are no text than a value that is read, and not any number of them', () => {
    const packed = read(mapping(5000, KEYS[0]![1]))
    expect(packed).toBeInstanceOf(Packed)
    expect((packed as Packed).values).toBeGreaterThan(100_000)
    expect(() => read(mapping(20_000, KEYS[0]![1]))).toThrow('1000 values allowed')
  })
})

describe('keys that are no text', () => {
  const keys = (...parts: Buffer[]): unknown[] => {
    const message = bytes(0x80 + parts.length, ...parts.flatMap((part, index) => [part, Buffer.of(index)]))
    return [...(decodeMsgpack(message, { dialect: 'bus' }) as Dict)]
  }
  const float = (value: number): Buffer => wide(0xcb, (place) => place.writeDoubleBE(value, 1))
  const large = (value: bigint): Buffer => wide(0xcf, (place) => place.writeBigUInt64BE(value, 1))
  const date = (text: string): Buffer => bytes(0xc7, text.length, 78, Buffer.from(text))

  it.each<[string, Buffer[]]>([
    ['an int, a float and a bool', [Buffer.of(1), float(1), Buffer.of(0xc3)]],
    ['a large int and a float', [large(2n ** 63n), float(2 ** 63)]],
    ['bytes', [bytes(0xc4, 2, 0xff, 1), bytes(0xc4, 2, 0xff, 1)]],
    ['dates', [date('20200101T00:00:00.000001'), date('20200101T00:00:00.000001')]],
    ['nothing', [Buffer.of(0xc0), Buffer.of(0xc0)]],
  ])('are one key when they are equal, the first: %s', (_what, parts) => {
    const [first] = keys(parts[0]!)[0] as [Value, Value]
    expect(keys(...parts)).toEqual([[first, parts.length - 1]])
  })

  it('are several keys when they differ', () => {
    const parts = [
      Buffer.of(0),
      float(0.5),
      large(2n ** 63n),
      large(2n ** 63n + 1n),
      bytes(0xc4, 1, 0x30),
      bytes(0xa1, 0x30),
      date('20200101T00:00:00.000001'),
      date('20200101T00:00:00.000002'),
      Buffer.of(0xc0),
    ]
    expect(keys(...parts)).toHaveLength(parts.length)
  })
})
