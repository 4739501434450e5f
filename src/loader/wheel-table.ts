// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const wheelTable: MasterTable = {
  config: [
    {
      functions: ['values', 'apply'],
      load: () => import('../wheel/config.ts'),
    },
  ],
}
