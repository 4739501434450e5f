// Data with the maximum nesting of messages. Decoded data can be encoded again with room for its wrappers, and no
// recursive function runs out of stack on it.
import { describe, expect, it } from 'vitest'
import { compare, equals } from '../compare.ts'
import { deepCopy } from '../copy.ts'
import { dumpJson, loadJson } from '../json/mod.ts'
import { update } from '../merge/update.ts'
import { fromPlain, toPlain } from '../plain.ts'
import { repr, str } from '../repr.ts'
import { subdictMatch } from '../subdict-match.ts'
import { traverse } from '../traverse.ts'
import type { Value } from '../value.ts'
import { decodeMsgpack } from './decode.ts'
import { FOREIGN_DEPTH, MAX_DEPTH, SaltConstant } from './dialect.ts'
import { encodeMsgpack } from './encode.ts'

/** Lists, or mappings with the key `a`, around a float. */
function nested(levels: number, kind: 'list' | 'dict'): Buffer {
  const level = kind === 'list' ? [0x91] : [0x81, 0xa1, 0x61]
  return Buffer.concat([
    Buffer.from(Array(levels).fill(level).flat()),
    Buffer.from([0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0]),
  ])
}

/** A constant whose value is a constant, repeatedly. */
function constants(levels: number): Buffer {
  let inner = Buffer.from([0xc0])
  for (let i = 0; i < levels; i++) {
    const content = Buffer.concat([Buffer.from([0x92, 0xa1, 0x61]), inner])
    const head = Buffer.from([0xc9, 0, 0, 0, 0, 79])
    head.writeUInt32BE(content.length, 1)
    inner = Buffer.concat([head, content])
  }
  return inner
}

const dialects = ['wire', 'bus', 'python'] as const

describe.each(['list', 'dict'] as const)('a message of nested %ss', (kind) => {
  it.each(dialects)('is written again in the dialect %s where it was read', (dialect) => {
    const bytes = nested(MAX_DEPTH, kind)
    const value = decodeMsgpack(bytes, { dialect })
    expect(Buffer.from(encodeMsgpack(value, dialect)).equals(bytes)).toBe(true)
    expect(() => decodeMsgpack(nested(MAX_DEPTH + 1, kind), { dialect })).toThrow('deeper than 511 levels')
    expect(() => encodeMsgpack([value], dialect)).toThrow('deeper than 511 levels')
  })

  it('leaves room for its wrappers when it comes from another machine', () => {
    let value = decodeMsgpack(nested(FOREIGN_DEPTH, kind), { dialect: 'wire', maxDepth: FOREIGN_DEPTH })
    expect(() => decodeMsgpack(nested(FOREIGN_DEPTH + 1, kind), { dialect: 'wire', maxDepth: FOREIGN_DEPTH })).toThrow()
    for (let i = 0; i < 60; i++) value = new Map<Value, Value>([['data', value]])
    expect(encodeMsgpack(value, 'bus').length).toBeGreaterThan(0)
  })

  const deep = (): Value => decodeMsgpack(nested(MAX_DEPTH, kind), { dialect: 'wire' })
  it.each<[string, (value: Value) => unknown]>([
    ['str', str],
    ['repr', repr],
    ['equals', (value) => equals(value, deep())],
    ['compare', (value) => kind === 'list' && compare('<', value, deep())],
    ['deepCopy', deepCopy],
    ['update', (value) => kind === 'dict' && update(value, deep())],
    ['toPlain', (value) => fromPlain(toPlain(value))],
    ['JSON', (value) => loadJson(dumpJson(value))],
    [
      'traverse',
      (value) =>
        traverse(
          value,
          Array(MAX_DEPTH)
            .fill(kind === 'list' ? '0' : 'a')
            .join(':'),
        ),
    ],
    ['subdictMatch', (value) => subdictMatch(value, Array(MAX_DEPTH).fill('a').join(':'))],
  ])('is no deeper than %s can go', (_name, use) => {
    use(deep())
  })
})

it('a date of any year is read again after it was written', () => {
  const bytes = Buffer.from('c7184e30303031303330325430333a30343a30352e303030303036', 'hex')
  const date = decodeMsgpack(bytes, { dialect: 'wire' })
  expect(Buffer.from(encodeMsgpack(date, 'wire')).equals(bytes)).toBe(true)
})

it('a message of constants within constants is bound by the same limit', () => {
  const value = decodeMsgpack(constants(250), { dialect: 'wire' })
  expect(value).toBeInstanceOf(SaltConstant)
  expect(encodeMsgpack(value, 'wire').length).toBeGreaterThan(0)
  expect(() => decodeMsgpack(constants(256), { dialect: 'wire' })).toThrow('levels')
  expect(() => decodeMsgpack(constants(5000), { dialect: 'wire' })).toThrow('levels')
})
