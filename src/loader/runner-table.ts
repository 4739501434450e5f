// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const runnerTable: MasterTable = {
  config: [
    {
      functions: ['get'],
      load: () => import('../runners/config.ts'),
    },
  ],
  doc: [
    {
      functions: ['runner', 'wheel', 'execution'],
      load: () => import('../runners/doc.ts'),
    },
  ],
  error: [
    {
      functions: ['error'],
      load: () => import('../runners/error.ts'),
    },
  ],
  event: [
    {
      functions: ['send'],
      load: () => import('../runners/event.ts'),
    },
  ],
  http: [
    {
      functions: ['query', 'update_ca_bundle'],
      load: () => import('../runners/http.ts'),
    },
  ],
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
  match: [
    {
      functions: ['compound_matches'],
      load: () => import('../runners/match.ts'),
    },
  ],
  network: [
    {
      functions: ['wol', 'wollist', 'wolmatch'],
      load: () => import('../runners/network.ts'),
    },
  ],
  state: [
    {
      functions: [
        'orchestrate',
        'orch',
        'sls',
        'orchestrate_single',
        'orchestrate_high',
        'orchestrate_show_sls',
        'orch_show_sls',
        'pause',
        'set_pause',
        'resume',
        'rm_pause',
        'soft_kill',
        'graph',
        'graph_highstate',
        'event',
      ],
      load: () => import('../runners/state.ts'),
    },
  ],
  survey: [
    {
      functions: ['hash', 'diff'],
      load: () => import('../runners/survey.ts'),
    },
  ],
  test: [
    {
      functions: ['arg', 'raw_arg', 'metasyntactic', 'stdout_print', 'sleep', 'stream'],
      load: () => import('../runners/test.ts'),
    },
  ],
}
