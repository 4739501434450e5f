// Made by tools/plugin-table.ts; run it after a driver of sdb was added or removed.
import type { SdbDriver } from '../sdk/mod.ts'

export const sdbTable: Readonly<Record<string, () => Promise<{ default: SdbDriver }>>> = {
  consul: () => import('../library/databases/consul/sdb.ts'),
  env: () => import('../library/system/environ/sdb.ts'),
  etcd: () => import('../library/databases/etcd/sdb.ts'),
  keyring: () => import('../library/security/keyring/sdb.ts'),
  redis: () => import('../library/databases/redis/sdb.ts'),
  rest: () => import('../library/network/http/rest.sdb.ts'),
  sqlite3: () => import('../library/databases/sqlite3/sdb.ts'),
  tism: () => import('../library/security/tism/sdb.ts'),
  vault: () => import('../library/security/vault/sdb.ts'),
  yaml: () => import('../library/files/yaml/sdb.ts'),
}
