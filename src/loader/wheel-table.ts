// biome-ignore-all format: a line for each function is hard to read
// Made by tools/plugin-table.ts; run it after a function was added, renamed or removed.
import type { MasterTable } from './master-registry.ts'

export const wheelTable: MasterTable = {
  config: [{ functions: ['values', 'apply', 'update_config'], load: () => import('../library/salt/config/wheel.ts') }],
  error: [{ functions: ['error'], load: () => import('../library/salt/error/wheel.ts') }],
  file_roots: [{ functions: ['find', 'list_env', 'list_roots', 'read', 'write'],
    load: () => import('../library/salt/fileserver/file_roots.wheel.ts') }],
  key: [{ functions: ['list', 'list_all', 'name_match', 'glob_match', 'print', 'master_key_str', 'finger', 'finger_all',
    'finger_master', 'accept', 'accept_dict', 'reject', 'reject_dict', 'delete', 'delete_dict', 'gen', 'gen_accept',
    'gen_keys', 'gen_signature'], load: () => import('../library/salt/keys/wheel.ts') }],
  minions: [{ functions: ['connected'], load: () => import('../library/salt/minion/wheel.ts') }],
  pillar_roots: [{ functions: ['find', 'list_env', 'list_roots', 'read', 'write'],
    load: () => import('../library/salt/fileserver/pillar_roots.wheel.ts') }],
}
