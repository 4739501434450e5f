import { expect, test } from 'vitest'
import type { Value } from '../../../data/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import ret from './module.ts'

const call = (name: string, args: Value[]) => {
  const returner = async (module: string, fun: string) =>
    module === 'redis' ? async (...given: Value[]) => [`${module}.${fun}`, ...given] : undefined
  return tryFunction(ret, name, { args, context: { returner } })
}

test.each<[string, Value[], Value]>([
  ['get_jid', ['redis', 20421104181954], ['redis.get_jid', '20421104181954']],
  ['get_fun', ['redis', 'test.ping'], ['redis.get_fun', 'test.ping']],
  ['get_jids', ['redis'], ['redis.get_jids']],
  ['get_minions', ['redis'], ['redis.get_minions']],
])('ret.%s asks the returner', async (name, args, answer) => {
  expect(await call(name, args)).toEqual(answer)
})

test('a missing returner is reported', async () => {
  await expect(call('get_jids', ['none'])).rejects.toThrow('The returner none.get_jids is not available')
})
