// Made by tools/plugin-table.ts; run it after a state was added, renamed or removed.
import type { StateTable } from './state-registry.ts'

export const stateTable: StateTable = {
  archive: [
    {
      functions: ['extracted'],
      load: () => import('../states/archive.ts'),
    },
  ],
  cmd: [
    {
      functions: ['wait', 'watch', 'wait_script', 'run', 'script', 'call', 'wait_call', 'mod_watch'],
      load: () => import('../states/cmd.ts'),
    },
  ],
  cron: [
    {
      functions: ['present', 'absent', 'file', 'env_present', 'env_absent'],
      load: () => import('../states/cron.ts'),
    },
  ],
  environ: [
    {
      functions: ['setenv'],
      load: () => import('../states/environ.ts'),
    },
  ],
  event: [
    {
      functions: ['send', 'wait', 'mod_watch', 'fire_master'],
      load: () => import('../states/event.ts'),
    },
  ],
  file: [
    {
      functions: [
        'absent',
        'accumulated',
        'append',
        'blockreplace',
        'cached',
        'comment',
        'copy',
        'decode',
        'directory',
        'exists',
        'hardlink',
        'keyvalue',
        'line',
        'managed',
        'missing',
        'mknod',
        'mod_beacon',
        'not_cached',
        'patch',
        'prepend',
        'pruned',
        'recurse',
        'rename',
        'replace',
        'retention_schedule',
        'serialize',
        'shortcut',
        'symlink',
        'tidied',
        'touch',
        'uncomment',
      ],
      hooks: ['mod_run_check_cmd'],
      load: () => import('../states/file.ts'),
    },
  ],
  git: [
    {
      functions: ['latest', 'present', 'detached', 'cloned', 'config_unset', 'config_set'],
      load: () => import('../states/git.ts'),
    },
  ],
  grains: [
    {
      functions: ['exists', 'present', 'list_present', 'list_absent', 'absent', 'append'],
      load: () => import('../states/grains.ts'),
    },
  ],
  host: [
    {
      functions: ['present', 'absent', 'only'],
      load: () => import('../states/host.ts'),
    },
  ],
  http: [
    {
      functions: ['query', 'wait_for_successful_query'],
      load: () => import('../states/http.ts'),
    },
  ],
  ini: [
    {
      functions: ['options_present', 'options_absent', 'sections_present', 'sections_absent'],
      load: () => import('../states/ini.ts'),
    },
  ],
  module: [
    {
      functions: ['wait', 'watch', 'run', 'mod_watch'],
      load: () => import('../states/module.ts'),
    },
  ],
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
