import { describe, expect, it } from 'vitest'
import { EncodedDict, EncodedEntry } from './encoded-dict.ts'
import { dumpJson, encodeJson } from './json/mod.ts'
import { decodeMsgpack, encodeMsgpack, type MsgpackDialect } from './msgpack/mod.ts'
import { type Dict, Float, type Value } from './value.ts'

const LONG = 'ä'.repeat(50)

/** Bytes before the first entry of a dict with three. */
const DICT_OF_THREE_BYTES = 1

const job = (n: number): Dict =>
  new Map<Value, Value>([
    ['Function', 'test.arg'],
    ['Arguments', ['a "quoted" text', n, new Float(1), LONG, new Map([['key', null]])]],
  ])

const jid = (n: number): string => `2026111600000000${String(n).padStart(4, '0')}`
const entryOf = (n: number): EncodedEntry => new EncodedEntry(jid(n), () => job(n))
const encodedOf = (count: number): EncodedDict => new EncodedDict(Array.from({ length: count }, (_, n) => entryOf(n)))
const plainOf = (count: number): Dict =>
  new Map(Array.from({ length: count }, (_, n): [Value, Value] => [jid(n), job(n)]))

const around = (value: Value): Value =>
  new Map<Value, Value>([
    ['before', LONG],
    ['return', value],
    ['after', [LONG]],
  ])

describe('a dict of encoded entries', () => {
  it.each<[MsgpackDialect, number]>([
    ['bus', 0],
    ['bus', 15],
    ['bus', 16],
    ['bus', 0x10000],
    ['wire', 20],
    ['python', 20],
  ])('is the same message as the plain dict: %s, %i entries', (dialect, count) => {
    const encoded = encodedOf(count)
    const expected = Buffer.from(encodeMsgpack(around(plainOf(count)), dialect))
    // the entries are encoded in the first message, and copied in the second
    expect(expected.equals(encodeMsgpack(around(encoded), dialect))).toBe(true)
    expect(expected.equals(encodeMsgpack(around(encoded), dialect))).toBe(true)
  })

  it.each([
    { ensureAscii: false },
    {},
    { ensureAscii: false, indent: 2 },
    { ensureAscii: false, separators: [',', ':'] as const },
    { ensureAscii: false, sortKeys: true },
  ])('is the same JSON as the plain dict with %j', (options) => {
    for (const count of [0, 1, 3]) {
      const expected = dumpJson(around(plainOf(count)), options)
      expect(dumpJson(around(encodedOf(count)), options)).toBe(expected)
      expect(Buffer.from(encodeJson(around(encodedOf(count)), options)).toString()).toBe(expected)
    }
  })

  it('returns a separate value to each reader', () => {
    const [entry, encoded] = [entryOf(1), encodedOf(3)]
    const read = encoded.unpack()
    expect(read).toEqual(plainOf(3))
    const first = read.get(jid(0)) as Dict
    ;(first.get('Arguments') as Value[]).push('more')
    first.delete('Function')
    read.clear()
    expect(encoded.unpack()).toEqual(plainOf(3))
    expect(decodeMsgpack(encodeMsgpack(encoded, 'bus'), { dialect: 'bus' })).toEqual(plainOf(3))
    ;(entry.value() as Dict).clear()
    expect(entry.value()).toEqual(job(1))
  })

  it('shares entries that are encoded already', () => {
    const entries = [entryOf(0), entryOf(1)]
    const bytes = entries.map((entry) => entry.bytes)
    const longer = new EncodedDict([...entries, entryOf(2)])
    expect(decodeMsgpack(longer.bytes, { dialect: 'bus' })).toEqual(plainOf(3))
    expect(entries.map((entry) => entry.bytes)).toEqual(bytes)
    expect(entries[0]!.bytes).toBe(bytes[0])
  })

  it('has the same entries when it is made of the bytes of the dict', () => {
    const entries = [0, 1, 2].map(entryOf)
    const ends = entries.map((_, index) =>
      entries.slice(0, index + 1).reduce((sum, { bytes }) => sum + bytes.length, DICT_OF_THREE_BYTES),
    )
    const keys = entries.map(({ key }) => key)
    const packed = new EncodedDict({ keys, ends, bytes: encodedOf(3).bytes })
    expect(packed.unpack()).toEqual(plainOf(3))
    expect(packed.keys).toEqual(encodedOf(3).keys)
    expect(Buffer.from(packed.json).toString()).toBe(Buffer.from(encodedOf(3).json).toString())
  })

  it('reports a value that has no encoding, and later messages are whole', () => {
    const broken = new EncodedDict([new EncodedEntry('key', () => Symbol('none') as unknown as Value)])
    expect(() => encodeMsgpack(around(broken), 'bus')).toThrow("can not serialize 'symbol' object")
    expect(decodeMsgpack(encodeMsgpack(around('x'), 'bus'), { dialect: 'bus' })).toEqual(around('x'))
  })
})
