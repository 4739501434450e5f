import { expect, it } from 'vitest'
import { repr, str } from './repr.ts'
import { Float, OrderedDict, tuple, type Value } from './value.ts'

it.each<[Value, string]>([
  [new Float(1e16), '1e+16'],
  [1e-5, '1e-05'],
  [0.1 + 0.2, '0.30000000000000004'],
  [-0, '0'],
  [new Float(-0), '-0.0'],
  [10n ** 20n, '100000000000000000000'],
  ["it's", '"it\'s"'],
  ['\'"', "'\\'\"'"],
  ['a\x00\x7f\u00a0\u200b😀\n', "'a\\x00\\x7f\\xa0\\u200b😀\\n'"],
  [tuple([1]), '(1,)'],
  [new Map<Value, Value>([[null, [true]]]), '{None: [True]}'],
  [new OrderedDict([['a', 1]]), "OrderedDict([('a', 1)])"],
  [new Uint8Array([0x27, 0x41, 0xff]), 'b"\'A\\xff"'],
])('repr of %s is %s', (value, expected) => {
  expect(repr(value)).toBe(expected)
})

it('repr stops at a list that holds itself', () => {
  const list: Value[] = [1]
  list.push(list)
  expect(repr(list)).toBe('[1, [...]]')
})

it('str refuses ints of more than 4300 digits', () => {
  expect(str(10n ** 4299n)).toHaveLength(4300)
  expect(() => str(10n ** 4300n)).toThrow('Exceeds the limit (4300 digits) for integer string conversion')
})
