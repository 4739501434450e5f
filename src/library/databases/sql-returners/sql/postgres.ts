// PostgreSQL through its own client, psql.
import { type Dict, str, type Value } from '../../../../data/mod.ts'
import { type FunctionContext, returnerOptions } from '../../../../sdk/mod.ts'
import { type Dialect, runClient } from './tables.ts'

const DEFAULTS = { host: '127.0.0.1', user: 'salt', pass: 'salt', db: 'salt', port: 5432 } satisfies Record<
  string,
  Value
>

/** Return a text as a literal. */
export const literal = (value: string): string =>
  `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\0', '')}'`

/** Run statements on a server; return their output. */
export function runPsql(ctx: FunctionContext, server: Record<keyof typeof DEFAULTS, Value>, sql: string) {
  const { host, user, pass, db, port } = server
  const place = ['-h', str(host), '-p', str(port), '-U', str(user), '-d', str(db)]
  const argv = ['psql', '-X', '-q', '-A', '-t', '-w', '-v', 'ON_ERROR_STOP=1', ...place]
  const env = new Map([
    ['PGPASSWORD', str(pass)],
    ['PGCONNECT_TIMEOUT', '10'],
  ])
  return runClient(ctx, { argv, env, place: `${str(host)}:${str(port)}` }, sql)
}

/** Return a statement as a transaction that waits for the others of its key, and that the server ends before its client is ended. */
export const alone = (key: string, sql: string): string =>
  `BEGIN;
SET LOCAL statement_timeout = '20s';
SELECT pg_advisory_xact_lock(hashtext(${literal(key)})::bigint);
${sql}COMMIT;
`

export const postgres = (returner: string): Dialect => ({
  json: 'json_build_object',
  keep: ['INSERT INTO', ' ON CONFLICT DO NOTHING'],
  from: '',
  alone,
  name: (column) => `"${column}"`,
  text: literal,
  run: async (ctx, sql, ret?: Dict) =>
    runPsql(ctx, await returnerOptions(ctx, `returner.${returner}`, DEFAULTS, ret), sql),
})
