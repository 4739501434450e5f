// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const runnerTable: MasterTable = {
  jobs: [
    {
      functions: [
        'active',
        'lookup_jid',
        'list_job',
        'print_job',
        'list_jobs',
        'list_jobs_filter',
        'exit_success',
        'last_run',
        'progress',
        'master',
      ],
      load: () => import('../runners/jobs.ts'),
    },
  ],
  manage: [
    {
      functions: [
        'status',
        'up',
        'down',
        'key_regen',
        'versions',
        'present',
        'not_present',
        'list_state',
        'list_not_state',
        'joined',
        'not_joined',
        'allowed',
        'not_allowed',
        'alived',
        'not_alived',
        'reaped',
        'not_reaped',
      ],
      load: () => import('../runners/manage.ts'),
    },
  ],
  test: [
    {
      functions: ['arg', 'raw_arg', 'metasyntactic', 'stdout_print', 'sleep', 'stream'],
      load: () => import('../runners/test.ts'),
    },
  ],
}
