// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const wheelTable: MasterTable = {
  config: [
    {
      functions: ['values', 'apply', 'update_config'],
      load: () => import('../wheel/config.ts'),
    },
  ],
  error: [
    {
      functions: ['error'],
      load: () => import('../wheel/error.ts'),
    },
  ],
  file_roots: [
    {
      functions: ['find', 'list_env', 'list_roots', 'read', 'write'],
      load: () => import('../wheel/file_roots.ts'),
    },
  ],
  key: [
    {
      functions: [
        'list',
        'list_all',
        'name_match',
        'glob_match',
        'print',
        'master_key_str',
        'finger',
        'finger_all',
        'finger_master',
        'accept',
        'accept_dict',
        'reject',
        'reject_dict',
        'delete',
        'delete_dict',
        'gen',
        'gen_accept',
        'gen_keys',
        'gen_signature',
      ],
      load: () => import('../wheel/key.ts'),
    },
  ],
  minions: [
    {
      functions: ['connected'],
      load: () => import('../wheel/minions.ts'),
    },
  ],
  pillar_roots: [
    {
      functions: ['find', 'list_env', 'list_roots', 'read', 'write'],
      load: () => import('../wheel/pillar_roots.ts'),
    },
  ],
}
