import { expect, test } from 'vitest'
import { PyDatetime } from './date/date.ts'
import { decodeData } from './decode.ts'
import { tuple, type Value } from './value.ts'

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

test('decodeData reads bytes as text everywhere, keys included', () => {
  const data = new Map<Value, Value>([[bytes('k'), [bytes('é'), tuple([bytes('t'), 1])]]])
  expect(decodeData(data)).toEqual(new Map([['k', ['é', ['t', 1]]]]))
})

test('decodeData gives a datetime as ISO text', () => {
  const time = { hour: 3, minute: 4, second: 5, microsecond: 0, offset: undefined }
  expect(decodeData([new PyDatetime(2026, 1, 2, time)])).toEqual(['2026-01-02T03:04:05'])
})

test('decodeData cuts circles and refuses keys that become lists', () => {
  const list: Value[] = ['x']
  list.push(list)
  expect(decodeData(list)).toEqual(['x', null])
  expect(() => decodeData(new Map<Value, Value>([[tuple(['a']), 1]]))).toThrow("unhashable type: 'list'")
})
