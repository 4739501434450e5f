import { describe, expect, test } from 'vitest'
import { repr, type Value } from '../../../data/mod.ts'
import { type Trial, toValue, tryFunction } from '../../../sdk/mod.ts'
import defaults from './module.ts'

const call = (name: string, args: Value[], trial: Trial = {}) => tryFunction(defaults, name, { args, ...trial })

describe('defaults', () => {
  test.each<[string, Value[], Record<string, Value>, string]>([
    ['merge', [toValue({ a: 1, n: { x: 1 } }), toValue({ n: { y: 2 } })], {}, "{'a': 1, 'n': {'x': 1, 'y': 2}}"],
    ['merge', [toValue({ a: 1 }), null], {}, "{'a': 1}"],
    ['merge', [null, toValue({ a: 1 })], { in_place: false }, "{'a': 1}"],
    ['merge', [toValue({ a: [1] }), toValue({ a: [2] })], { merge_lists: true }, "{'a': [1, 2]}"],
    ['deepcopy', [toValue({ a: [1] })], {}, "{'a': [1]}"],
    ['update', [toValue({ h1: { a: 1 } }), toValue({ b: [1] })], {}, "{'h1': {'b': [1], 'a': 1}}"],
    ['update', [toValue({ h1: { l: [1] } }), toValue({ l: [2] })], { in_place: false }, "{'h1': {'l': [2, 1]}}"],
  ])('.%s%j %j', async (name, args, kwargs, wanted) => {
    expect(repr(await call(name, args, { kwargs }))).toBe(wanted)
  })

  test('.merge changes its first argument unless configured otherwise', async () => {
    const dest = toValue({ a: 1 })
    await call('merge', [dest, toValue({ b: 2 })], { kwargs: { in_place: false } })
    expect(repr(dest)).toBe("{'a': 1}")
    await call('merge', [dest, toValue({ b: 2 })])
    expect(repr(dest)).toBe("{'a': 1, 'b': 2}")
  })

  test.each<[string, Value[], string]>([
    ['merge', [null, toValue({})], "Can't perform in-place merge into NoneType"],
    ['merge', [toValue({}), 'x'], 'Cannot update using non-dict types in dictupdate.update()'],
    ['update', [null, toValue({})], "Can't perform in-place update into NoneType"],
  ])('.%s%j fails', async (name, args, message) => {
    await expect(call(name, args)).rejects.toThrow(message)
  })

  test("reads the formula's defaults file", async () => {
    const others = {
      'cp.get_file_str': ([url]: readonly Value[]) => (url === 'salt://app/defaults.json' ? 'text' : false),
    }
    const context = { render: async () => toValue({ users: { root: 0 } }) }
    expect(await call('get', ['app:users:root'], { others, context })).toBe(0)
    expect(await call('get', ['app:nope', 'd'], { others, context })).toBe('d')
    expect(await call('get', ['other'], { others, context })).toBeNull()
  })
})
