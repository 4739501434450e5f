// Made by tools/plugin-table.ts; run it after a state of Thorium was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const thoriumTable: StateTable = {
  calc: [
    {
      functions: ['calc', 'add', 'mul', 'mean', 'median', 'median_low', 'median_high', 'median_grouped', 'mode'],
      load: () => import('../thorium/calc.ts'),
    },
  ],
  check: [
    {
      functions: [
        'gt',
        'gte',
        'lt',
        'lte',
        'eq',
        'ne',
        'len_gt',
        'len_gte',
        'len_lt',
        'len_lte',
        'len_eq',
        'len_ne',
        'contains',
        'event',
      ],
      load: () => import('../thorium/check.ts'),
    },
  ],
  file: [
    {
      functions: ['save'],
      load: () => import('../thorium/file.ts'),
    },
  ],
  key: [
    {
      functions: ['timeout'],
      load: () => import('../thorium/key.ts'),
    },
  ],
  local: [
    {
      functions: ['cmd'],
      load: () => import('../thorium/local.ts'),
    },
  ],
  reg: [
    {
      functions: ['set', 'list', 'mean', 'clear', 'delete'],
      load: () => import('../thorium/reg.ts'),
    },
  ],
  runner: [
    {
      functions: ['cmd'],
      load: () => import('../thorium/runner.ts'),
    },
  ],
  status: [
    {
      functions: ['reg'],
      load: () => import('../thorium/status.ts'),
    },
  ],
  timer: [
    {
      functions: ['hold'],
      load: () => import('../thorium/timer.ts'),
    },
  ],
  wheel: [
    {
      functions: ['cmd'],
      load: () => import('../thorium/wheel.ts'),
    },
  ],
}
