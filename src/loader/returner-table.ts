// Made by tools/plugin-table.ts; run it after a returner was added or removed.
import type { ReturnerModule } from '../sdk/mod.ts'

export const returnerTable: Readonly<Record<string, () => Promise<{ default: ReturnerModule }>>> = {
  elasticsearch: () => import('../library/databases/elasticsearch/returner.ts'),
  highstate: () => import('../library/salt/highstate-returner/returner.ts'),
  influxdb: () => import('../library/databases/influxdb/returner.ts'),
  kafka: () => import('../library/messaging/kafka/returner.ts'),
  local: () => import('../library/salt/returners/local.returner.ts'),
  local_cache: () => import('../library/salt/returners/local_cache.returner.ts'),
  mattermost: () => import('../library/messaging/mattermost/returner.ts'),
  mongo: () => import('../library/databases/mongodb/mongo.returner.ts'),
  multi_returner: () => import('../library/salt/returners/multi_returner.returner.ts'),
  mysql: () => import('../library/databases/sql-returners/mysql.returner.ts'),
  pgjsonb: () => import('../library/databases/sql-returners/pgjsonb.returner.ts'),
  postgres: () => import('../library/databases/sql-returners/postgres.returner.ts'),
  postgres_local_cache: () => import('../library/databases/sql-returners/postgres_local_cache.returner.ts'),
  rawfile_json: () => import('../library/salt/returners/rawfile_json.returner.ts'),
  redis: () => import('../library/databases/redis/returner.ts'),
  sentry: () => import('../library/messaging/sentry/returner.ts'),
  slack: () => import('../library/messaging/slack/returner.ts'),
  smtp: () => import('../library/messaging/smtp/returner.ts'),
  splunk: () => import('../library/messaging/splunk/returner.ts'),
  sqlite3: () => import('../library/databases/sqlite3/returner.ts'),
  syslog: () => import('../library/messaging/syslog/returner.ts'),
  telegram: () => import('../library/messaging/telegram/returner.ts'),
  webhook: () => import('../library/messaging/webhook/returner.ts'),
}
