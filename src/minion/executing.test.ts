import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import type { Registry } from '../loader/mod.ts'
import { assertNoBlackout, execute, splayOf } from './executing.ts'

const blackout = (more: Record<string, Value> = {}) => ({
  pillar: new Map<Value, Value>(Object.entries({ minion_blackout: true, ...more })),
  grains: new Map(),
})

test('A minion in blackout runs only what refreshes its pillar and what its whitelist names', () => {
  expect(() => assertNoBlackout(blackout(), 'test.ping')).toThrow('Minion in blackout mode.')
  expect(() => assertNoBlackout(blackout(), 'saltutil.refresh_pillar')).not.toThrow()
  expect(() => assertNoBlackout(blackout({ minion_blackout_whitelist: ['test.ping'] }), 'test.ping')).not.toThrow()
})

test('Splay spreads minions by their names, each always the same', () => {
  expect(['web1', 'db1', 'some.host.example'].map((id) => splayOf(id, 300))).toEqual([234, 158, 215])
})

test.each(['constructor', 'toString', '__proto__', 'nothing'])('%s is no executor', async (name) => {
  const functions = { ctx: { opts: new Map(), pillar: new Map(), grains: new Map() } } as unknown as Registry
  const execution = {
    functions,
    fun: 'test.ping',
    args: [],
    kwargs: new Map(),
    load: new Map([['module_executors', [name]]]),
  }
  await expect(execute(execution)).rejects.toThrow(`Executor '${name}' is not available`)
})
