import { expect, test } from 'vitest'
import { failure, toPlain, type Value } from '../../../data/mod.ts'
import { type StateTrial, tryState } from '../../../sdk/mod.ts'
import states from './state.ts'

/** A server with keys; `isWilling` says whether it stores and deletes. */
function server(keys: Record<string, Value> = {}, isWilling = true) {
  const kept = new Map(Object.entries(keys))
  const others: StateTrial['others'] = {
    'memcached.get': ([key]) => kept.get(String(key)) ?? null,
    'memcached.set': ([key, value]) => isWilling && kept.set(String(key), value!).has(String(key)),
    'memcached.delete': ([key]) => isWilling && kept.delete(String(key)),
  }
  const apply = async (fun: string, kwargs: Record<string, Value>, test = false) =>
    toPlain(await tryState(states, fun, { kwargs, others, test }))
  return { apply, kept }
}

test('managed sets a key once, and a dry run changes nothing', async () => {
  const { apply, kept } = server()
  const wanted = { name: 'colour', value: 'red' }
  expect(await apply('managed', wanted, true)).toMatchObject({ result: null, comment: "Key 'colour' would be added" })
  expect(kept.size).toBe(0)
  expect(await apply('managed', wanted)).toMatchObject({
    result: true,
    comment: "Successfully set key 'colour'",
    changes: { 'key added': 'colour', value: 'red' },
  })
  const settled = { result: true, changes: {}, comment: "Key 'colour' does not need to be updated" }
  expect(await apply('managed', wanted)).toMatchObject(settled)
})

test('managed changes a value, and distinguishes an integer from its text', async () => {
  const { apply } = server({ size: '5' })
  const wanted = { name: 'size', value: 5 }
  const foreseen = { result: null, comment: "Value of key 'size' would be changed" }
  expect(await apply('managed', wanted, true)).toMatchObject(foreseen)
  expect(await apply('managed', wanted)).toMatchObject({ result: true, changes: { old: '5', new: 5 } })
  expect(await apply('managed', wanted)).toMatchObject({ result: true, changes: {} })
})

test('managed refuses values that cannot be stored, also in a dry run, and reports a failure', async () => {
  const { apply } = server({ old: 'x' }, false)
  const comment = "Value of key 'k' must be a text or an integer, not list"
  for (const isDry of [true, false]) {
    expect(await apply('managed', { name: 'k', value: [1] }, isDry)).toMatchObject({ result: false, comment })
    expect(await apply('managed', { name: 'old' }, isDry)).toMatchObject({ result: false, changes: {} })
  }
  const failed = { result: false, changes: {}, comment: "Failed to set key 'k'" }
  expect(await apply('managed', { name: 'k', value: 'v' })).toMatchObject(failed)
})

test('absent deletes a key once, and a dry run changes nothing', async () => {
  const { apply, kept } = server({ colour: 'red' })
  const foreseen = { result: null, comment: "Key 'colour' would be deleted" }
  expect(await apply('absent', { name: 'colour' }, true)).toMatchObject(foreseen)
  expect(kept.size).toBe(1)
  expect(await apply('absent', { name: 'colour' })).toMatchObject({
    result: true,
    comment: "Successfully deleted key 'colour'",
    changes: { 'key deleted': 'colour', value: 'red' },
  })
  const settled = { result: true, changes: {}, comment: "Key 'colour' does not exist" }
  expect(await apply('absent', { name: 'colour' })).toMatchObject(settled)
})

test('absent leaves a key with another value than the given one, and reports a failure', async () => {
  const { apply } = server({ colour: 'red' }, false)
  const settled = { result: true, changes: {}, comment: "Value of key 'colour' ('red') is not 'blue'" }
  expect(await apply('absent', { name: 'colour', value: 'blue' })).toMatchObject(settled)
  const failed = { result: false, changes: {}, comment: "Failed to delete key 'colour'" }
  expect(await apply('absent', { name: 'colour', value: 'red' })).toMatchObject(failed)
})

test('a server that cannot be reached is a failure with its words', async () => {
  const comment = 'memcached server is down or does not exist'
  const others: StateTrial['others'] = {
    'memcached.get': () => {
      throw failure(comment)
    },
  }
  for (const fun of ['managed', 'absent']) {
    const report = toPlain(await tryState(states, fun, { kwargs: { name: 'k', value: 'v' }, others }))
    expect(report).toMatchObject({ name: 'k', result: false, changes: {}, comment })
  }
})
