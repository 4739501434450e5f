import { describe, expect, it } from 'vitest'
import type { Value } from '../value.ts'
import { decodeMsgpack } from './decode.ts'
import { encodeMsgpack, encodePieces } from './encode.ts'
import { Packed, Pieces } from './packed.ts'

const LONG = 'x'.repeat(100)
const leavesPacked = (key: string): boolean => key === 'return'
const read = (bytes: Uint8Array): Map<Value, Value> =>
  decodeMsgpack(bytes, { dialect: 'wire', leavesPacked }) as Map<Value, Value>
const sent = (returned: unknown): Uint8Array => Buffer.from(encodeMsgpack({ id: 'm1', return: returned, n: 7 }, 'wire'))

describe('a value that may stay packed', () => {
  it.each([
    ['text', LONG],
    ['text beyond ASCII', 'ä€😀'.repeat(20)],
    ['a mapping', { text: LONG, number: -5, big: 2 ** 40, float: 1.5, none: null, no: false, list: [1, [2, LONG]] }],
    [
      'keys that are no text',
      new Map<unknown, unknown>([
        [1, LONG],
        [null, 2],
        [true, 3],
      ]),
    ],
    ['many items', Array.from({ length: 20_000 }, (_, n) => n)],
  ])('reaches a listener as it was sent: %s', (_name, value) => {
    const load = read(sent(value))
    expect(load.get('return')).toBeInstanceOf(Packed)
    expect(load.get('n')).toBe(7)
    const told = decodeMsgpack(encodeMsgpack(load, 'bus'), { dialect: 'bus' })
    expect(told).toEqual(decodeMsgpack(sent(value), { dialect: 'wire' }))
    expect((load.get('return') as Packed).unpack()).toEqual((told as Map<Value, Value>).get('return'))
  })

  it.each([
    ['short ones', true],
    ['bytes', { data: Buffer.from([0xff, 0xfe, ...Buffer.from(LONG)]) }],
    ['text that is none', { text: LONG, broken: Buffer.from([0xc3]) }],
    ['what nests deeply', Array.from({ length: 80 }).reduce((inner: unknown) => [inner, LONG], 1)],
  ])('is read where readers would differ: %s', (_name, value) => {
    const load = read(sent(value))
    expect(load.get('return')).not.toBeInstanceOf(Packed)
    expect(load).toEqual(decodeMsgpack(sent(value), { dialect: 'wire' }))
  })

  it('is refused as any other when a key cannot be one, or when it is cut', () => {
    const bytes = Buffer.from(sent([LONG, { key: 1 }]))
    const at = bytes.indexOf(Buffer.from([0xa3, ...Buffer.from('key')]))
    const broken = Buffer.concat([bytes.subarray(0, at), Buffer.from([0x91, 1]), bytes.subarray(at + 4)])
    expect(() => read(broken)).toThrow('as a key')
    expect(() => decodeMsgpack(bytes, { dialect: 'wire', leavesPacked, maxValues: 5 })).toThrow('values allowed')
    for (const end of [20, 60, bytes.length - 1]) expect(() => read(bytes.subarray(0, end))).toThrow('missing')
  })
})

describe('the limits of a message with a value that stays packed', () => {
  const limits = { dialect: 'wire', leavesPacked, maxValues: 50, maxPackedValues: 500 } as const

  it.each([
    ['stays packed within the larger one', Array.from({ length: 400 }, () => 1), undefined],
    ['is refused beyond the larger one', Array.from({ length: 600 }, () => 1), 'values allowed'],
    [
      'is refused beyond the smaller one where it has to be read',
      [Buffer.from([0xff]), ...Array(400).fill(1)],
      'values allowed',
    ],
  ])('%s', (_name, value, problem) => {
    const decoded = (): Value => decodeMsgpack(sent(value), limits)
    if (problem !== undefined) expect(decoded).toThrow(problem)
    else expect((decoded() as Map<Value, Value>).get('return')).toMatchObject({ values: 401 })
  })

  it('hold for everything else', () => {
    const bytes = Buffer.from(encodeMsgpack({ id: 'm1', other: Array(60).fill(1), return: LONG }, 'wire'))
    expect(() => decodeMsgpack(bytes, limits)).toThrow('50 values allowed')
  })
})

describe('a message in pieces', () => {
  it('has the bytes of the whole one, and long byte strings as they were given', () => {
    const data = Buffer.alloc(100_000, 7)
    const value = { before: LONG, data, after: [1, data, 2] }
    const pieces = encodePieces(value, 'wire')
    expect(pieces).toHaveLength(5)
    expect(pieces[1]).toBe(data)
    expect(Buffer.concat(pieces).equals(encodeMsgpack(value, 'wire'))).toBe(true)
  })

  it('takes a byte string that is in pieces itself', () => {
    const [one, other] = [Buffer.alloc(70_000, 1), Buffer.alloc(5, 2)]
    const whole = Buffer.from(encodeMsgpack(Buffer.concat([one, other]), 'wire'))
    expect(Buffer.concat(encodePieces(new Pieces([one, other]), 'wire')).equals(whole)).toBe(true)
    expect(whole.equals(encodeMsgpack(new Pieces([one, other]), 'wire'))).toBe(true)
  })
})
