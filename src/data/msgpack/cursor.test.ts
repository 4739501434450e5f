import { describe, expect, it } from 'vitest'
import type { Value } from '../value.ts'
import { PackedCursor, packedKeys } from './cursor.ts'
import { decodeMsgpack } from './decode.ts'
import { MsgpackError } from './dialect.ts'
import { encodeMsgpack } from './encode.ts'

const long = 'x'.repeat(300)

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  -33,
  200,
  70_000,
  -70_000,
  2 ** 40,
  -(2 ** 40),
  1.5,
  'text',
  'é',
  'y'.repeat(40),
  long,
  'z'.repeat(70_000),
  new Uint8Array(3),
  new Uint8Array(300),
  [],
  [1, [2, [long]]],
  Array.from({ length: 20 }, (_, i) => i),
  Array.from({ length: 70_000 }, () => null),
  new Map(),
  new Map([['a', new Map([['b', [1, 2, long]]])]]),
  new Map(Array.from({ length: 20 }, (_, i) => [`key ${i}`, i])),
]

describe('PackedCursor', () => {
  it('steps over every kind of value, and reads it', () => {
    for (const value of VALUES) {
      const bytes = encodeMsgpack([value, 'end'], 'bus')
      const cursor = new PackedCursor(bytes)
      expect(cursor.list()).toBe(2)
      cursor.skip()
      expect(cursor.text()).toBe('end')
      expect(cursor.at).toBe(bytes.length)
      const again = new PackedCursor(bytes)
      again.list()
      expect([again.value()]).toEqual((decodeMsgpack(bytes, { dialect: 'bus' }) as Value[]).slice(0, 1))
    }
  })

  it('reads texts and numbers, and stays in front of other values', () => {
    for (const value of VALUES) {
      const bytes = encodeMsgpack(value, 'bus')
      expect(new PackedCursor(bytes).text()).toBe(typeof value === 'string' ? value : undefined)
      expect(new PackedCursor(bytes).number()).toBe(typeof value === 'number' ? value : undefined)
      const cursor = new PackedCursor(bytes)
      if (typeof value !== 'string') cursor.text()
      if (typeof value !== 'number') cursor.number()
      if (!(value instanceof Map)) cursor.map()
      if (!Array.isArray(value)) cursor.list()
      expect(cursor.at).toBe(0)
    }
  })

  it('recognises keys', () => {
    const keys = packedKeys(['return', 'result', 'id'])
    const data = new Map<unknown, unknown>([
      ['id', 1],
      ['retcod', 2],
      [7, 3],
      [long, 4],
      ['result', 5],
    ])
    const cursor = new PackedCursor(encodeMsgpack(data, 'bus'))
    const found: number[] = []
    for (let left = cursor.map()!; left > 0; left--) {
      found.push(cursor.key(keys))
      cursor.skip()
    }
    expect(found).toEqual([2, -1, -1, -1, 1])
  })

  it('throws where the data ends within a value, or no value begins', () => {
    for (const value of VALUES.filter((each) => !(Array.isArray(each) && each.length > 1000))) {
      const bytes = encodeMsgpack(value, 'bus')
      for (const end of [0, 1, 2, 4, bytes.length - 1].filter((length) => length < bytes.length)) {
        expect(() => new PackedCursor(bytes.subarray(0, end)).skip()).toThrow(MsgpackError)
      }
    }
    expect(() => new PackedCursor(Uint8Array.of(0xc1)).skip()).toThrow('begins no value')
    expect(() => new PackedCursor(Uint8Array.of(0xdf, 0xff, 0xff, 0xff, 0xff)).skip()).toThrow(MsgpackError)
  })
})
