// biome-ignore-all format: a line for each function is hard to read
// Made by tools/plugin-table.ts; run it after a state of Thorium was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const thoriumTable: StateTable = {
  calc: [{ functions: ['calc', 'add', 'mul', 'mean', 'median', 'median_low', 'median_high', 'median_grouped', 'mode'],
    load: () => import('../library/salt/thorium/calc.thorium.ts') }],
  check: [{ functions: ['gt', 'gte', 'lt', 'lte', 'eq', 'ne', 'len_gt', 'len_gte', 'len_lt', 'len_lte', 'len_eq',
    'len_ne', 'contains', 'event'], load: () => import('../library/salt/thorium/check.thorium.ts') }],
  file: [{ functions: ['save'], load: () => import('../library/salt/thorium/file.thorium.ts') }],
  key: [{ functions: ['timeout'], load: () => import('../library/salt/thorium/key.thorium.ts') }],
  local: [{ functions: ['cmd'], load: () => import('../library/salt/thorium/local.thorium.ts') }],
  reg: [{ functions: ['set', 'list', 'mean', 'clear', 'delete'],
    load: () => import('../library/salt/thorium/reg.thorium.ts') }],
  runner: [{ functions: ['cmd'], load: () => import('../library/salt/thorium/runner.thorium.ts') }],
  status: [{ functions: ['reg'], load: () => import('../library/salt/thorium/status.thorium.ts') }],
  timer: [{ functions: ['hold'], load: () => import('../library/salt/thorium/timer.thorium.ts') }],
  wheel: [{ functions: ['cmd'], load: () => import('../library/salt/thorium/wheel.thorium.ts') }],
}
