// PostgreSQL through psql: the program, the user that runs it, the password, and rows from CSV.
import { type Dict, parseCsv, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, type Bound, type FunctionContext, optionalText } from '../../../../sdk/mod.ts'

export const server = {
  user: arg.text('Role that connects. Default: the option `postgres.user`', { optional: true }),
  host: arg.text('Host, or directory of the socket. Default: the option `postgres.host`', { optional: true }),
  port: arg.text('Port. Default: the option `postgres.port`', { optional: true }),
  maintenance_db: optionalText('Database to connect to. Default: the option `postgres.maintenance_db`, else postgres'),
  password: arg.text('Password of the role. Default: the option `postgres.pass`', { optional: true, secret: true }),
}
export const runas = arg.text('System user that runs psql. Default: postgres for a local server', { optional: true })
export const connection = { ...server, runas }

/** Connection settings; the default of a missing or empty part is the option. */
export type Connection = Readonly<Partial<Bound<typeof connection>>>

type Machine = Pick<FunctionContext, 'opts' | 'host'>

/** Return the path of a program of PostgreSQL, which is searched in `postgres.bins_dir` first. */
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

async function commandLine(ctx: FunctionContext, at: Connection, words: readonly string[]): Promise<string[]> {
  const chosen = async (name: keyof Connection): Promise<Value> => at[name] || option(ctx, name)
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

/** Return a name as statements hold it. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Return a name as statements hold it. One of plain characters stays as it is: the server reads it in small letters. */
export const plainIdentifier = (name: string): string => (/^[\w$]+$/.test(name) ? name : identifier(name))

/** Return a text as statements hold it. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Run psql with further arguments and a script as its input; return the result of cmd.run_all. */
export async function psql(
  ctx: FunctionContext,
  at: Connection,
  words: readonly string[],
  script?: string,
): Promise<Dict> {
  const argv = await commandLine(ctx, at, words)
  const host = at.host || str(await option(ctx, 'host'))
  const local = host === '' || host.startsWith('/')
  const runas = at.runas ?? (local ? serverUser(ctx) : null)
  const password = at.password ?? (await option(ctx, 'pass'))
  const secret = [local ? 'localhost' : host, at.port || '*', '*', (at.user ?? runas) || '*', str(password)].join(':')
  const keywords = {
    python_shell: false,
    reset_system_locale: false,
    clean_env: true,
    timeout: await option(ctx, 'timeout', 0),
    ...(runas && { runas }),
    ...(script !== undefined && { stdin: script, stdin_raw_newlines: true }),
  }
  const answer = await withSecret(ctx, secret, runas, (path) =>
    ctx.call('cmd.run_all', [argv], { ...keywords, env: new Map([['PGPASSFILE', path]]) }),
  )
  if (truthy(answer.get('retcode') ?? 0)) ctx.log('error', 'Error connecting to Postgresql server')
  return answer
}

/** Keep a secret in a file that only the user of a program can read, as long as the program runs. */
export async function withSecret<T>(
  ctx: FunctionContext,
  secret: string,
  owner: string | null,
  use: (path: string) => T | Promise<T>,
): Promise<T> {
  const path = await ctx.host.tempFile({ prefix: '__salt.tmp.' })
  try {
    await ctx.host.write(path, secret)
    const account = owner ? await ctx.host.user(owner) : undefined
    const { uid } = await ctx.host.identity()
    if (account !== undefined && account.uid !== uid) await ctx.host.chown(path, account.uid, -1)
    return await use(path)
  } finally {
    await ctx.host.remove(path)
  }
}

export const succeeded = (answer: Dict): boolean => answer.get('retcode') === 0

/** Run one statement, and return whether it succeeded. */
export async function execute(ctx: FunctionContext, at: Connection, statement: string): Promise<boolean> {
  return succeeded(await psql(ctx, at, ['-c', statement]))
}

/** Run statements in one transaction; return whether all succeeded. They do not appear in process lists and logs. */
export async function executeSecretly(ctx: FunctionContext, at: Connection, statements: string[]): Promise<boolean> {
  const script = ['BEGIN', ...statements, 'COMMIT'].map((statement) => `${statement};\n`).join('')
  return succeeded(await psql(ctx, at, ['--quiet', '--set=ON_ERROR_STOP=1', '--file=-'], script))
}

/** Return the rows of a query; none if it failed. */
export async function select(ctx: FunctionContext, at: Connection, query: string, write = false): Promise<Dict[]> {
  const copy = `COPY (${query.trim().replace(/;+$/, '')}) TO STDOUT WITH CSV HEADER`
  const statement = write ? `START TRANSACTION READ WRITE; ${copy}; COMMIT TRANSACTION;` : copy
  const answer = await psql(ctx, at, ['-v', 'datestyle=ISO,MDY', '-c', statement])
  if (Number(answer.get('retcode')) > 0) return []
  const [header = [], ...lines] = parseCsv(str(answer.get('stdout') ?? '')).filter((row) => row.length > 0)
  const rows = lines.map(
    (line) => new Map<Value, Value>(line.slice(0, header.length).map((cell, i) => [header[i] ?? '', cell])),
  )
  return write ? rows.slice(0, -1) : rows
}

export async function serverVersion(ctx: FunctionContext, at: Connection): Promise<string | null> {
  const query = "SELECT setting FROM pg_catalog.pg_settings WHERE name = 'server_version'"
  const output = str((await psql(ctx, at, ['-c', query, '-t'])).get('stdout') ?? '')
  return output.split('\n')[0] || null
}

/** Return rows by the value of one column, without that column. */
export function byColumn(rows: Dict[], column: string): Dict {
  return new Map(
    rows.map((row) => {
      const key = row.get(column) ?? null
      row.delete(column)
      return [key, row]
    }),
  )
}
