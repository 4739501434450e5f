// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const runnerTable: MasterTable = {
  auth: [
    {
      functions: ['mk_token', 'del_token'],
      load: () => import('../library/salt/auth/runner.ts'),
    },
  ],
  batch: [
    {
      functions: ['status', 'list_active', 'stop'],
      load: () => import('../library/salt/batch/runner.ts'),
    },
  ],
  cache: [
    {
      functions: [
        'grains',
        'pillar',
        'mine',
        'clear_pillar',
        'clear_grains',
        'clear_mine',
        'clear_mine_func',
        'clear_all',
        'clear_git_lock',
        'cloud',
        'store',
        'list',
        'fetch',
        'flush',
      ],
      load: () => import('../library/salt/cache/runner.ts'),
    },
  ],
  config: [
    {
      functions: ['get'],
      load: () => import('../library/salt/config/runner.ts'),
    },
  ],
  ddns: [
    {
      functions: ['create', 'update', 'delete', 'add_host', 'delete_host'],
      load: () => import('../library/network/ddns/runner.ts'),
    },
  ],
  doc: [
    {
      functions: ['runner', 'wheel', 'execution'],
      load: () => import('../library/salt/doc/runner.ts'),
    },
  ],
  engine: [
    {
      functions: ['list'],
      load: () => import('../library/salt/engines/runner.ts'),
    },
  ],
  error: [
    {
      functions: ['error'],
      load: () => import('../library/salt/error/runner.ts'),
    },
  ],
  event: [
    {
      functions: ['send', 'list', 'show', 'count', 'journal'],
      load: () => import('../library/salt/event/runner.ts'),
    },
  ],
  fileserver: [
    {
      functions: [
        'envs',
        'file_list',
        'dir_list',
        'empty_dir_list',
        'symlink_list',
        'update',
        'clear_file_list_cache',
        'clear_cache',
        'clear_lock',
        'lock',
      ],
      load: () => import('../library/salt/fileserver/runner.ts'),
    },
  ],
  git_pillar: [
    {
      functions: ['update'],
      load: () => import('../library/salt/git-pillar/runner.ts'),
    },
  ],
  http: [
    {
      functions: ['query', 'update_ca_bundle'],
      load: () => import('../library/network/http/runner.ts'),
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
      load: () => import('../library/salt/jobs/runner.ts'),
    },
  ],
  manage: [
    {
      functions: [
        'status',
        'up',
        'down',
        'key_regen',
        'safe_accept',
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
      load: () => import('../library/salt/manage/runner.ts'),
    },
  ],
  match: [
    {
      functions: ['compound_matches'],
      load: () => import('../library/salt/match/runner.ts'),
    },
  ],
  mine: [
    {
      functions: ['get', 'update'],
      load: () => import('../library/salt/mine/runner.ts'),
    },
  ],
  network: [
    {
      functions: ['wol', 'wollist', 'wolmatch'],
      load: () => import('../library/network/network/runner.ts'),
    },
  ],
  pillar: [
    {
      functions: ['show_top', 'show_pillar', 'explain', 'clear_pillar_cache', 'show_pillar_cache'],
      load: () => import('../library/salt/pillar/runner.ts'),
    },
  ],
  pki: [
    {
      functions: ['migrate_to_mmap', 'status'],
      load: () => import('../library/security/pki/runner.ts'),
    },
  ],
  queue: [
    {
      functions: [
        'insert',
        'delete',
        'list_queues',
        'list_length',
        'list_items',
        'pop',
        'process_queue',
        'insert_runner',
        'process_runner',
      ],
      load: () => import('../library/salt/queue/runner.ts'),
    },
  ],
  reactor: [
    {
      functions: ['list', 'add', 'delete', 'is_leader', 'set_leader', 'test', 'fire', 'wait', 'trace'],
      load: () => import('../library/salt/reactor/runner.ts'),
    },
  ],
  resource: [
    {
      functions: ['show_grains', 'list_grains', 'refresh'],
      load: () => import('../library/salt/resource/runner.ts'),
    },
  ],
  salt: [
    {
      functions: ['cmd', 'execute'],
      load: () => import('../library/salt/salt/runner.ts'),
    },
  ],
  saltutil: [
    {
      functions: [
        'sync_all',
        'sync_clouds',
        'sync_modules',
        'sync_states',
        'sync_grains',
        'sync_renderers',
        'sync_returners',
        'sync_output',
        'sync_proxymodules',
        'sync_runners',
        'sync_wheel',
        'sync_engines',
        'sync_thorium',
        'sync_queues',
        'sync_pillar',
        'sync_utils',
        'sync_sdb',
        'sync_cache',
        'sync_fileserver',
        'sync_tops',
        'sync_eauth_tokens',
        'sync_serializers',
        'sync_executors',
        'sync_wrapper',
        'sync_roster',
        'sync_auth',
        'sync_matchers',
      ],
      load: () => import('../library/salt/saltutil/runner.ts'),
    },
  ],
  sdb: [
    {
      functions: ['get', 'set', 'delete', 'get_or_set_hash'],
      load: () => import('../library/security/sdb/runner.ts'),
    },
  ],
  ssh: [
    {
      functions: ['cmd'],
      load: () => import('../library/salt/ssh/runner.ts'),
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
        'orchestrate_runs',
        'orchestrate_show',
        'orchestrate_resume',
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
      load: () => import('../library/salt/state/runner.ts'),
    },
  ],
  survey: [
    {
      functions: ['hash', 'diff'],
      load: () => import('../library/salt/survey/runner.ts'),
    },
  ],
  test: [
    {
      functions: ['arg', 'raw_arg', 'metasyntactic', 'stdout_print', 'get_opts', 'sleep', 'stream'],
      load: () => import('../library/salt/test/runner.ts'),
    },
  ],
  trace: [
    {
      functions: ['show'],
      load: () => import('../library/salt/trace/runner.ts'),
    },
  ],
  winrepo: [
    {
      functions: ['genrepo', 'update_git_repos'],
      load: () => import('../library/packages/winrepo/runner.ts'),
    },
  ],
}
