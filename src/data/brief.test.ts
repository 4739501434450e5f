import { expect, it } from 'vitest'
import { briefStr } from './brief.ts'
import { SaltConstant } from './msgpack/dialect.ts'
import { Float, type Value } from './value.ts'

const deep = (levels: number): Value => Array.from({ length: levels }).reduce<Value>((inner) => [inner], 1)

it.each<[Value, string]>([
  ['base', 'base'],
  ['x'.repeat(5000), 'x'.repeat(5000)],
  [7, '7'],
  [new Float(2), '2.0'],
  [null, 'None'],
  [true, 'True'],
  [['db1', 'web1'], "['db1', 'web1']"],
  [new Map<Value, Value>([['a', [1, Buffer.from('b')]]]), "{'a': [1, b'b']}"],
  [[new SaltConstant('X', deep(3))], "['<_Constant>']"],
])('a short value is printed as str() prints it: %o', (value, text) => {
  expect(briefStr(value)).toBe(text)
})

it.each<[string, Value]>([
  ['many items', Array.from({ length: 100_000 }, () => new Map())],
  ['a long text', ['x'.repeat(100_000)]],
  ['long bytes', Buffer.alloc(100_000)],
  ['many entries', new Map(Array.from({ length: 100_000 }, (_, index): [Value, Value] => [index, index]))],
  ['many levels', deep(5000)],
])('of a value with %s only the beginning is printed', (_what, value) => {
  const text = briefStr(value, 500)
  expect(text.length).toBeLessThan(2500)
  expect(text.length).toBeGreaterThan(100)
})
