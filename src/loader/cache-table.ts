// Made by tools/plugin-table.ts; run it after a driver of the cache was added or removed.
import type { CacheDriver } from '../sdk/mod.ts'

export const cacheTable: Readonly<Record<string, () => Promise<{ default: CacheDriver }>>> = {
  consul: () => import('../library/databases/consul/cache.ts'),
  etcd: () => import('../library/databases/etcd/cache.ts'),
  mysql: () => import('../library/databases/mysql/cache.ts'),
  redis: () => import('../library/databases/redis/cache.ts'),
}
