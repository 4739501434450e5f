// Made by tools/plugin-table.ts; run it after a returner was added or removed.
import type { ReturnerModule } from '../sdk/mod.ts'

export const returnerTable: Readonly<Record<string, () => Promise<{ default: ReturnerModule }>>> = {
  highstate: () => import('../returners/highstate.ts'),
  local_cache: () => import('../returners/local_cache.ts'),
  mysql: () => import('../returners/mysql.ts'),
  pgjsonb: () => import('../returners/pgjsonb.ts'),
  postgres: () => import('../returners/postgres.ts'),
  rawfile_json: () => import('../returners/rawfile_json.ts'),
  redis: () => import('../returners/redis.ts'),
  smtp: () => import('../returners/smtp.ts'),
  syslog: () => import('../returners/syslog.ts'),
  webhook: () => import('../returners/webhook.ts'),
}
