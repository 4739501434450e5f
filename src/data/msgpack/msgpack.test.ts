import fc from 'fast-check'
import { Packr } from 'msgpackr'
import { describe, expect, it } from 'vitest'
import { equals } from '../compare.ts'
import { PyDate, PyDatetime } from '../date/date.ts'
import { fromPlain } from '../plain.ts'
import { repr } from '../repr.ts'
import { PySet } from '../set.ts'
import { type Dict, Float, tuple, type Value } from '../value.ts'
import { decodeMsgpack, decodeMulti, encodeMsgpack, type MsgpackDialect, MsgpackStream, SaltConstant } from './mod.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const unhex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'))
const wire = { dialect: 'wire' } as const
const bus = { dialect: 'bus' } as const

describe('encodeMsgpack', () => {
  it.each<[Value, string]>([
    [null, 'c0'],
    [127, '7f'],
    [-32, 'e0'],
    [200, 'ccc8'],
    [-0, '00'],
    [2 ** 32, 'cf0000000100000000'],
    [-(2 ** 31) - 1, 'd3ffffffff7fffffff'],
    [2n ** 64n - 1n, 'cfffffffffffffffff'],
    [20261115063755973289n, 'b43230323631313135303633373535393733323839'],
    [-(2n ** 63n) - 1n, 'b42d39323233333732303336383534373735383039'],
    [new Float(3), 'cb4008000000000000'],
    [0.5, 'cb3fe0000000000000'],
    [tuple([1, 2]), '920102'],
    [new PySet(['a']), '91a161'],
    [new Map<Value, Value>([[1, 'é']]), '8101a2c3a9'],
    [new PyDate(2020, 1, 2), `c7184e${hex(Buffer.from('20200102T00:00:00.000000'))}`],
    [new SaltConstant('X', null), 'c7044f92a158c0'],
  ])('writes %o in both dialects', (value, expected) => {
    expect(hex(encodeMsgpack(value, 'wire'))).toBe(expected)
    expect(hex(encodeMsgpack(value, 'bus'))).toBe(expected)
  })

  it.each<[Value, string, string]>([
    ['a'.repeat(32), 'da0020', 'd920'],
    ['é'.repeat(16), 'da0020', 'd920'],
    ['a'.repeat(256), 'da0100', 'da0100'],
    ['a'.repeat(65536), 'db00010000', 'db00010000'],
    [Uint8Array.of(255, 0), 'a2', 'c402'],
    [new Uint8Array(256), 'da0100', 'c50100'],
  ])('distinguishes text and bytes only on the bus (case %#)', (value, wireHead, busHead) => {
    expect(hex(encodeMsgpack(value, 'wire')).startsWith(wireHead)).toBe(true)
    expect(hex(encodeMsgpack(value, 'bus')).startsWith(busHead)).toBe(true)
  })

  it('takes plain objects and Maps, mixed', () => {
    expect(hex(encodeMsgpack({ a: new Map([['b', { c: [] }]]) }, 'bus'))).toBe('81a16181a16281a16390')
  })

  it.each<[unknown, string]>([
    [undefined, "can not serialize 'undefined' object"],
    [{ f: () => 1 }, "can not serialize 'function' object"],
    ['\ud800', "'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed"],
  ])('refuses %o', (value, message) => {
    expect(() => encodeMsgpack(value, 'wire')).toThrow(message)
    expect(hex(encodeMsgpack(1, 'wire'))).toBe('01')
  })

  it('refuses circles', () => {
    const circle: Value[] = []
    circle.push(circle)
    expect(() => encodeMsgpack(circle, 'bus')).toThrow('Cannot write data nested deeper than 511 levels')
  })

  it('keeps little memory for a short message, whatever was written before', () => {
    for (const before of ['x'.repeat(3_000_000), 'short', '\u00e9'.repeat(50_000)]) {
      const long = encodeMsgpack([before], 'bus')
      expect(long.buffer.byteLength).toBeLessThanOrEqual(Math.max(1 << 16, 3 * long.length))
      expect(encodeMsgpack('after it', 'bus').buffer.byteLength).toBeLessThanOrEqual(1 << 16)
    }
  })
})

describe('decodeMsgpack', () => {
  it.each<[string, Value, Value]>([
    ['a3ff0041', Uint8Array.of(255, 0, 65), Uint8Array.of(255, 0, 65)],
    ['c403616263', 'abc', Uint8Array.of(97, 98, 99)],
    ['a2c3a9', 'é', 'é'],
    ['a3efbfbd', '\ufffd', '\ufffd'],
    ['ca3fc00000', 1.5, 1.5],
    ['cb4008000000000000', new Float(3), new Float(3)],
    ['d40541', 'A', Uint8Array.of(65)],
    ['8201020103', new Map([[1, 3]]), new Map([[1, 3]])],
    ['d3ffdfffffffffffff', -9007199254740993n, -9007199254740993n],
    ['cf001fffffffffffff', 2 ** 53 - 1, 2 ** 53 - 1],
  ])('reads %s', (text, onWire, onBus) => {
    expect(decodeMsgpack(unhex(text), wire)).toEqual(onWire)
    expect(decodeMsgpack(unhex(text), bus)).toEqual(onBus)
  })

  it('leaves text as bytes, but for keys, when raw', () => {
    const message = unhex('81a464617461a3616263')
    expect(decodeMsgpack(message, { dialect: 'raw' })).toEqual(new Map([['data', Uint8Array.of(97, 98, 99)]]))
  })

  it('reads dates and constants back', () => {
    const time = { hour: 3, minute: 4, second: 5, microsecond: 6, offset: undefined }
    const values = [new PyDatetime(2020, 1, 2, time), new SaltConstant('X', 'y')]
    expect(repr(decodeMsgpack(encodeMsgpack(values, 'wire'), wire))).toBe(repr(values))
  })

  it.each([
    ['', 'Truncated'],
    ['9201', 'Truncated'],
    ['ddffffffff', 'Truncated'],
    ['dfffffffff', 'Truncated'],
    ['c6ffffffff', 'Truncated'],
    ['0102', 'ExtraData'],
    ['c1', 'BadFormat'],
    ['c7024e4141', 'BadExtension'],
    ['c7184e32303230313330325430333a30343a30352e303030303036', 'BadExtension'],
    ['c7024f9141', 'BadExtension'],
    ['8192010201', 'BadKey'],
    ['91'.repeat(2000), 'TooDeep'],
  ])('refuses %s as %s', (text, code) => {
    expect(() => decodeMsgpack(unhex(text), wire)).toThrow(expect.objectContaining({ code }))
  })

  it('refuses messages above a size', () => {
    expect(() => decodeMsgpack(unhex('93010203'), { ...bus, maxBytes: 3 })).toThrow(
      'Cannot read message: it has 4 bytes, 3 are allowed',
    )
  })

  it('reads several messages', () => {
    expect(decodeMulti(unhex('01a16190'), bus)).toEqual([1, 'a', []])
  })
})

const { value: anyValue } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Value>(null, true, false),
    fc.maxSafeInteger(),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
    fc.double({ noNaN: true }).map((n) => (Number.isInteger(n) ? new Float(n) : n)),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie('value')),
    fc.array(fc.tuple(fc.string(), tie('value'))).map((entries): Dict => new Map(entries)),
  ),
}))

describe('MessagePack', () => {
  it('gives back what was written', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        expect(equals(decodeMsgpack(encodeMsgpack(value, 'bus'), bus), value)).toBe(true)
      }),
    )
  })

  it('means the same to another implementation', () => {
    const other = new Packr({ useRecords: false, mapsAsObjects: false })
    fc.assert(
      fc.property(anyValue, (value) => {
        const read: unknown = other.unpack(encodeMsgpack(value, 'bus'))
        expect(equals(fromPlain(read), value)).toBe(true)
      }),
    )
  })

  it('fails only with its own errors on any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom<MsgpackDialect | 'raw'>('wire', 'bus', 'raw'),
        (bytes, dialect) => {
          try {
            decodeMsgpack(bytes, { dialect })
          } catch (error) {
            expect(error).toHaveProperty('name', 'MsgpackError')
          }
        },
      ),
    )
  })
})

describe('MsgpackStream', () => {
  it('finds the messages however the bytes are cut', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(anyValue, { maxLength: 5 }), cuts, (values, sizes) => {
        const bytes = Buffer.concat(values.map((value) => encodeMsgpack(value, 'bus')))
        const stream = new MsgpackStream(bus)
        const found: Value[] = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = sizes[i % sizes.length]!
          found.push(...stream.push(bytes.subarray(at, at + size)))
          at += size
        }
        stream.end()
        expect(equals(found, values)).toBe(true)
      }),
    )
  })

  it('refuses a message as soon as it promises too much', () => {
    const stream = new MsgpackStream({ ...bus, maxBytes: 100 })
    expect(() => stream.push(unhex('c600001000'))).toThrow('it has more than the 100 bytes allowed')
    expect(() => new MsgpackStream({ ...bus, maxBytes: 100 }).push(unhex('dd00001000'))).toThrow('100 bytes')
    expect(() => new MsgpackStream(bus).push(unhex('c1'))).toThrow('begins no value')
  })

  it('says when the end comes too early', () => {
    const stream = new MsgpackStream(bus)
    expect(stream.push(unhex('019201'))).toEqual([1])
    expect(() => stream.end()).toThrow('the stream ends after 2 bytes of it')
  })
})
