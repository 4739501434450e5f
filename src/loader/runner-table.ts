// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const runnerTable: MasterTable = {
  test: [
    {
      functions: ['arg', 'raw_arg', 'metasyntactic', 'stdout_print', 'sleep', 'stream'],
      load: () => import('../runners/test.ts'),
    },
  ],
}
