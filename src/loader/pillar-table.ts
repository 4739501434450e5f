// Made by tools/plugin-table.ts; run it after an external pillar was added or removed.
import type { ExtPillar } from '../sdk/mod.ts'

export const pillarTable: Readonly<Record<string, () => Promise<{ default: ExtPillar }>>> = {
  cmd_json: () => import('../library/salt/pillar-sources/cmd_json.pillar.ts'),
  cmd_yaml: () => import('../library/salt/pillar-sources/cmd_yaml.pillar.ts'),
  cmd_yamlex: () => import('../library/salt/pillar-sources/cmd_yamlex.pillar.ts'),
  cobbler: () => import('../library/automation/cobbler/pillar.ts'),
  consul: () => import('../library/databases/consul/pillar.ts'),
  csv: () => import('../library/salt/pillar-sources/csv.pillar.ts'),
  etcd: () => import('../library/databases/etcd/pillar.ts'),
  extra_minion_data_in_pillar: () => import('../library/salt/pillar-sources/extra_minion_data_in_pillar.pillar.ts'),
  foreman: () => import('../library/automation/foreman/pillar.ts'),
  hiera: () => import('../library/automation/hiera/pillar.ts'),
  http_json: () => import('../library/network/http/http_json.pillar.ts'),
  http_yaml: () => import('../library/network/http/http_yaml.pillar.ts'),
  mongo: () => import('../library/databases/mongodb/mongo.pillar.ts'),
  netbox: () => import('../library/network/netbox/pillar.ts'),
  nodegroups: () => import('../library/salt/pillar-sources/nodegroups.pillar.ts'),
  pillar_ldap: () => import('../library/users/ldap/pillar_ldap.pillar.ts'),
  reclass: () => import('../library/automation/reclass/pillar.ts'),
  redis: () => import('../library/databases/redis/pillar.ts'),
  saltclass: () => import('../library/automation/saltclass/pillar.ts'),
  varstack: () => import('../library/automation/varstack/pillar.ts'),
  vault: () => import('../library/security/vault/pillar.ts'),
}
