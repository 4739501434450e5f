import { expect, test } from 'vitest'
import type { Value } from '../data/mod.ts'
import { assertNoBlackout, type Execution, execute, splayOf } from './executing.ts'

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

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'nosuch'])(
  'There is no executor %s',
  async (name) => {
    const ctx = { opts: new Map(), pillar: new Map(), grains: new Map(), memory: new Map() }
    const load = new Map<Value, Value>([['module_executors', [name]]])
    const execution = {
      functions: { ctx },
      fun: 'test.ping',
      args: [],
      kwargs: new Map(),
      load,
    } as unknown as Execution
    await expect(execute(execution)).rejects.toThrow(`Executor '${name}' is not available`)
  },
)
