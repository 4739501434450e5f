// Made by tools/plugin-table.ts; run it after a returner was added or removed.
import type { ReturnerModule } from '../sdk/mod.ts'

export const returnerTable: Readonly<Record<string, () => Promise<{ default: ReturnerModule }>>> = {
  highstate: () => import('../library/salt/highstate-returner/returner.ts'),
  local_cache: () => import('../library/salt/returners/local_cache.returner.ts'),
  mysql: () => import('../library/databases/sql-returners/mysql.returner.ts'),
  pgjsonb: () => import('../library/databases/sql-returners/pgjsonb.returner.ts'),
  postgres: () => import('../library/databases/sql-returners/postgres.returner.ts'),
  rawfile_json: () => import('../library/salt/returners/rawfile_json.returner.ts'),
  redis: () => import('../library/databases/redis/returner.ts'),
  smtp: () => import('../library/messaging/smtp/returner.ts'),
  syslog: () => import('../library/messaging/syslog/returner.ts'),
  webhook: () => import('../library/messaging/webhook/returner.ts'),
}
