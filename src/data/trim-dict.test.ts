import { expect, test } from 'vitest'
import { toPlain } from './plain.ts'
import { trimDict } from './trim-dict.ts'
import { Float, type Value } from './value.ts'

const dict = (entries: Record<string, Value>): Map<Value, Value> => new Map(Object.entries(entries))

// the results of salt.utils.dicttrim.trim_dict
test.each<[Record<string, Value>, number, Record<string, unknown>]>([
  [{ a: 'b', c: 'x'.repeat(10_000) }, 100, { a: 'b', c: 'VALUE_TRIMMED' }],
  [
    { a: 'x'.repeat(400), b: 'y'.repeat(300), c: 'z'.repeat(90) },
    600,
    { a: 'VALUE_TRIMMED', b: 'VALUE_TRIMMED', c: 'z'.repeat(90) },
  ],
  [
    { d: dict({ e: 'x'.repeat(400), f: 1 }), l: Array.from({ length: 200 }, (_, i) => i), n: 5 },
    700,
    { d: { e: 'VALUE_TRIMMED', f: 1 }, l: 'VALUE_TRIMMED', n: 5 },
  ],
  [{ é: 'é'.repeat(300), w: '漢'.repeat(100) }, 500, { é: 'VALUE_TRIMMED', w: 'VALUE_TRIMMED' }],
  [{ 0: 'vvvvv', 1: 'vvvvv', 2: 'vvvvv' }, 60, { 0: 'vvvvv', 1: 'vvvvv', 2: 'vvvvv' }],
  [{ a: 'x'.repeat(100) }, 134, { a: 'VALUE_TRIMMED' }],
  [{ a: 'x'.repeat(100) }, 139, { a: 'x'.repeat(100) }],
  [
    { a: Buffer.alloc(200), b: new Float(1.5), t: true, n: null },
    150,
    { a: 'VALUE_TRIMMED', b: 1.5, t: true, n: null },
  ],
])('replaces the large values of a dict (case %#)', (given, most, wanted) => {
  expect(toPlain(trimDict(dict(given), most))).toEqual(wanted)
})

test('leaves the given dict as it is', () => {
  const given = dict({ nested: dict({ text: 'x'.repeat(500) }) })
  trimDict(given, 100)
  expect(toPlain(given)).toEqual({ nested: { text: 'x'.repeat(500) } })
})
