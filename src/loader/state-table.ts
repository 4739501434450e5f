// Made by tools/plugin-table.ts; run it after a state was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const stateTable: StateTable = {
  test: [
    {
      functions: [
        'nop',
        'succeed_without_changes',
        'fail_without_changes',
        'succeed_with_changes',
        'fail_with_changes',
        'configurable_test_state',
        'show_notification',
        'mod_watch',
        'check_pillar',
      ],
      load: () => import('../states/test.ts'),
    },
  ],
}
