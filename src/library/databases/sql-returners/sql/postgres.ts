// PostgreSQL through its own client, psql.
import { str, type Value } from '../../../../data/mod.ts'
import { returnerOptions } from '../../../../sdk/mod.ts'
import { type Dialect, runClient } from './tables.ts'

const DEFAULTS = { host: '127.0.0.1', user: 'salt', pass: 'salt', db: 'salt', port: 5432 } satisfies Record<
  string,
  Value
>

export const postgres = (returner: string): Dialect => ({
  json: 'json_build_object',
  keep: ['INSERT INTO', ' ON CONFLICT DO NOTHING'],
  name: (column) => `"${column}"`,
  text: (value) => `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\0', '')}'`,
  run: async (ctx, sql, ret) => {
    const { host, user, pass, db, port } = await returnerOptions(ctx, `returner.${returner}`, DEFAULTS, ret)
    const place = ['-h', str(host), '-p', str(port), '-U', str(user), '-d', str(db)]
    const argv = ['psql', '-X', '-q', '-A', '-t', '-w', '-v', 'ON_ERROR_STOP=1', ...place]
    return runClient(ctx, { argv, env: new Map([['PGPASSWORD', str(pass)]]) }, sql)
  },
})
