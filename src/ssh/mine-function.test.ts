import { expect, test } from 'vitest'
import { toPlain, type Value } from '../data/mod.ts'
import { literalWord, mineCall } from './mine-function.ts'

const dict = (fields: Record<string, Value>) => new Map<Value, Value>(Object.entries(fields))

test('the first source that has a name says which function it means', () => {
  const roster = dict({ ips: dict({ mine_function: 'network.ip_addrs', interface: 'eth0', allow_tgt: '*' }) })
  const pillar = dict({ ips: ['other'], who: [dict({ mine_function: 'grains.get' }), 'id'] })
  const called = (name: string) => {
    const { fun, words } = mineCall(name, [roster, undefined, pillar])
    return [fun, words.map((word) => toPlain(word))]
  }
  expect(called('ips')).toEqual(['network.ip_addrs', [{ __kwarg__: true, interface: 'eth0' }]])
  expect(called('who')).toEqual(['grains.get', ['id']])
  expect(called('test.ping')).toEqual(['test.ping', []])
})

test('a value is written so that it is read as this value', () => {
  expect(['plain text', '1', 'true', '[a]', 2].map(literalWord)).toEqual(['plain text', '"1"', '"true"', '"[a]"', 2])
})
