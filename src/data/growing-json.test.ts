import { describe, expect, it } from 'vitest'
import { GrowingJson } from './growing-json.ts'
import { encodeJson } from './json/mod.ts'
import { decodeMsgpack, encodeMsgpack, Packed } from './msgpack/mod.ts'
import { type Dict, Float, type Value } from './value.ts'

const entry = (n: number): [Value, Value] => [
  `2026111600000000${String(n).padStart(4, '0')}`,
  new Map<Value, Value>([
    ['Function', 'test.arg'],
    ['Arguments', ['a "quoted" ä', n, new Float(1), null, new Map([['key', [true]]])]],
  ]),
]

/** Entries from a number up to another, which is not included. */
const dict = (from: number, to: number): Dict =>
  new Map(Array.from({ length: to - from }, (_, index) => entry(from + index)))

const packed = (value: Value): Packed =>
  new Packed(encodeMsgpack(value, 'bus').slice(), (bytes) => decodeMsgpack(bytes, { dialect: 'bus' }), 1)

const written = (value: Value): string => Buffer.from(encodeJson([value], { ensureAscii: false })).toString()

describe('the JSON of a dict that grows', () => {
  it('equals that of the dict, whatever the previous dict was', () => {
    const growing = new GrowingJson()
    const dicts = [dict(0, 0), dict(0, 1), dict(0, 1), dict(0, 20), dict(0, 5), dict(3, 30), dict(0, 0), dict(2, 4)]
    for (const one of dicts) {
      const result = growing.of(packed(one))!
      expect(written(result)).toBe(written(one))
      expect(result.unpack()).toEqual(one)
      expect(decodeMsgpack(encodeMsgpack(result, 'bus'), { dialect: 'bus' })).toEqual(one)
    }
  })

  it('reads the entries at the end only', () => {
    const growing = new GrowingJson()
    for (const count of [1000, 1000, 1001, 1003]) growing.of(packed(dict(0, count)))
    expect(growing.read).toBe(1003)
    // the oldest entry is gone
    growing.of(packed(dict(1, 1003)))
    expect(growing.read).toBe(1003 + 1002)
  })

  it('leaves other values, and dicts that are too long to be kept', () => {
    const growing = new GrowingJson(1000)
    expect(growing.of(packed(['a list']))).toBeUndefined()
    expect(growing.of(packed(dict(0, 1000)))).toBeUndefined()
    expect(growing.of(packed(dict(0, 2)))).toBeDefined()
    expect(growing.read).toBe(2)
  })
})
