// Talking to PostgreSQL through psql: which binary, as whom, with which password, and rows out of CSV.
import { type Dict, parseCsv, str, truthy, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import type { Given, Rows } from './arguments.ts'

type Machine = Pick<FunctionContext, 'opts' | 'host'>

/** A program of PostgreSQL, looked for in `postgres.bins_dir` first. */
export async function findProgram({ opts, host }: Machine, program: string, directory?: Value) {
  const place = directory ?? opts.get('postgres.bins_dir') ?? null
  const there = truthy(place) ? await host.which(`${str(place).replace(/\/$/, '')}/${program}`) : undefined
  return there ?? (await host.which(program))
}

export async function option(ctx: FunctionContext, name: string, fallback: Value = ''): Promise<Value> {
  return ctx.call('config.option', [`postgres.${name}`], { default: fallback })
}

/** The system user that owns the server's socket. */
export function serverUser(ctx: FunctionContext): string {
  return str(ctx.grains.get('os_family') ?? '').includes('OpenBSD') ? '_postgresql' : 'postgres'
}

async function commandLine(ctx: FunctionContext, given: Given, words: readonly string[]): Promise<string[]> {
  const chosen = async (name: string): Promise<Value> =>
    truthy(given[name] ?? null) ? given[name]! : option(ctx, name)
  const argv = [
    (await findProgram(ctx, 'psql', await option(ctx, 'bins_dir'))) ?? 'psql',
    '--no-align',
    '--no-readline',
    '--no-psqlrc',
    '--no-password',
  ]
  const flags: [string, Value][] = [
    ['--username', await chosen('user')],
    ['--host', await chosen('host')],
    ['--port', await chosen('port')],
  ]
  for (const [flag, value] of flags) if (truthy(value)) argv.push(flag, str(value))
  const database = await chosen('maintenance_db')
  return [...argv, '--dbname', truthy(database) ? str(database) : 'postgres', ...words]
}

/** Runs psql with further words; the answer is that of cmd.run_all. */
export async function psql(ctx: FunctionContext, given: Given, words: readonly string[]): Promise<Dict> {
  const argv = await commandLine(ctx, given, words)
  const host = truthy(given['host'] ?? null) ? str(given['host']!) : str(await option(ctx, 'host'))
  const local = host === '' || host.startsWith('/')
  const runas = given['runas'] ?? (local ? serverUser(ctx) : null)
  const password = given['password'] ?? (await option(ctx, 'pass'))
  const user = given['user'] ?? runas
  const secret = [local ? 'localhost' : host, orAny(given['port'] ?? null), '*', orAny(user), str(password)].join(':')
  const keywords = {
    python_shell: false,
    reset_system_locale: false,
    clean_env: true,
    timeout: await option(ctx, 'timeout', 0),
    ...(truthy(runas) && { runas }),
  }
  const answer = await withSecret(ctx, secret, runas, (path) =>
    ctx.call('cmd.run_all', [argv], { ...keywords, env: new Map([['PGPASSFILE', path]]) }),
  )
  if (truthy((answer as Dict).get('retcode') ?? 0)) ctx.log('error', 'Error connecting to Postgresql server')
  return answer as Dict
}

const orAny = (value: Value): string => (truthy(value) ? str(value) : '*')

/** A file that only the user who runs the program can read, for as long as it runs. */
export async function withSecret<T>(
  ctx: FunctionContext,
  secret: string,
  owner: Value,
  use: (path: string) => T | Promise<T>,
): Promise<T> {
  const path = await ctx.host.tempFile({ prefix: '__salt.tmp.' })
  try {
    await ctx.host.write(path, secret)
    const account = truthy(owner) ? await ctx.host.user(str(owner)) : undefined
    const { uid } = await ctx.host.identity()
    if (account !== undefined && account.uid !== uid) await ctx.host.chown(path, account.uid, -1)
    return await use(path)
  } finally {
    await ctx.host.remove(path)
  }
}

export const succeeded = (answer: Dict): boolean => answer.get('retcode') === 0

/** Runs one statement and tells whether it went well. */
export async function execute(ctx: FunctionContext, given: Given, statement: string): Promise<boolean> {
  return succeeded(await psql(ctx, given, ['-c', statement]))
}

/** The rows of a query; none when it failed. */
export async function select(ctx: FunctionContext, given: Given, query: string, write = false): Promise<Rows> {
  const copy = `COPY (${query.trim().replace(/;+$/, '')}) TO STDOUT WITH CSV HEADER`
  const statement = write ? `START TRANSACTION READ WRITE; ${copy}; COMMIT TRANSACTION;` : copy
  const answer = await psql(ctx, given, ['-v', 'datestyle=ISO,MDY', '-c', statement])
  if (Number(answer.get('retcode')) > 0) return []
  const [header = [], ...lines] = parseCsv(str(answer.get('stdout') ?? '')).filter((row) => row.length > 0)
  const rows = lines.map((line) => new Map<Value, Value>(header.slice(0, line.length).map((key, i) => [key, line[i]!])))
  return write ? rows.slice(0, -1) : rows
}

export async function serverVersion(ctx: FunctionContext, given: Given): Promise<string | null> {
  const query = "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'server_version'"
  const output = str((await psql(ctx, given, ['-c', query, '-t'])).get('stdout') ?? '')
  return output.split('\n')[0] || null
}

/** Rows by the value of one column, which is taken out of them. */
export function byColumn(rows: Rows, column: string): Dict {
  return new Map(
    rows.map((row) => {
      const key = row.get(column)!
      row.delete(column)
      return [key, row]
    }),
  )
}
