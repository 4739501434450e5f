import { expect, test } from 'vitest'
import type { MasterContext } from '../../../sdk/mod.ts'
import { callOn, memoryCache } from '../common/try-master-function.test-support.ts'
import pillar from './runner.ts'

const master = (options: Record<string, boolean> = {}): Partial<MasterContext> => ({
  opts: new Map(Object.entries(options)),
  cache: memoryCache({ pillar: { web1: { port: 80 }, web2: { port: 81 } }, pillar_cache: { web1: { port: 80 } } }),
  targets: (target) => ({ minions: ['web1', 'web2'].filter((id) => target === '*' || target === id), missing: [] }),
})

test('show_pillar_cache returns the cached pillar of the targeted minions', async () => {
  expect(await callOn(master(), pillar, 'show_pillar_cache', 'web2')).toEqual({ web2: { port: 81 } })
})

test('clear_pillar_cache removes the cached pillar of the targeted minions', async () => {
  const parts = master()
  expect(await callOn(parts, pillar, 'clear_pillar_cache', 'web1')).toBe(true)
  expect(await callOn(parts, pillar, 'show_pillar_cache')).toEqual({ web2: { port: 81 } })
  expect(parts.cache?.bank('pillar_cache').list()).toEqual([])
})

test('both return False without a cache', async () => {
  const parts = master({ pillar_cache: false, minion_data_cache: false })
  expect(await callOn(parts, pillar, 'show_pillar_cache')).toBe(false)
  expect(await callOn(parts, pillar, 'clear_pillar_cache')).toBe(false)
})
