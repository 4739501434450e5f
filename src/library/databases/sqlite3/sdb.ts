// `sqlite3`: values in a table of a SQLite database, as msgpack, through the program sqlite3. Keys and values go in as parameters, so that
// they are never part of a statement.
import { decodeBytes, decodeMsgpack, encodeMsgpack, failure, str, type Value } from '../../../data/mod.ts'
import { arg, type Bound, defineSdb, type SdbContext } from '../../../sdk/mod.ts'

const args = {
  database: arg.text('Path of the database'),
  table: arg.text('Table of keys and values', { default: 'sdb' }),
  create_table: arg.flag('Whether the table is created if it does not exist', { default: true }),
  create_statements: arg.list('Statements that create tables of your own', { optional: true }),
  get_query: arg.text('Query for the value of `:key`', { optional: true }),
  set_query: arg.text('Statement that stores `:value` for `:key`', { optional: true }),
}

type Settings = Bound<typeof args>

const hex = (bytes: Uint8Array): string => `X'${Buffer.from(bytes).toString('hex')}'`

const quoted = (name: string): string => {
  if (name.includes('\0')) throw failure('The name of a table contains a null byte')
  return `"${name.replaceAll('"', '""')}"`
}

async function sqlite(ctx: SdbContext, database: string, lines: readonly string[], bail = true): Promise<string> {
  const argv = ['sqlite3', '-batch', ...(bail ? ['-bail'] : []), database]
  const { retcode, stdout, stderr } = await ctx.host.run({ argv, stdin: `${lines.join('\n')}\n` })
  if (retcode !== 0 && bail) throw failure(`sqlite3 ${database}: ${decodeBytes(stderr).trim()}`)
  return decodeBytes(stdout)
}

async function create(ctx: SdbContext, settings: Settings): Promise<void> {
  const { database, table, create_table, create_statements } = settings
  // a statement for a table that exists fails, as it may
  if (create_statements)
    await sqlite(
      ctx,
      database,
      create_statements.map((each) => `${str(each)};`),
      false,
    )
  else if (create_table) {
    await sqlite(ctx, database, [
      `CREATE TABLE IF NOT EXISTS ${quoted(table)} (key text, value blob);`,
      `CREATE UNIQUE INDEX IF NOT EXISTS ${quoted(`${table}_idx`)} ON ${quoted(table)} (key);`,
    ])
  }
}

/** Run a statement with parameters; return its output. */
async function run(ctx: SdbContext, settings: Settings, sql: string, parameters: ReadonlyMap<string, string>) {
  await create(ctx, settings)
  const rows = [...parameters].map(([name, value]) => `('${name}', ${value})`).join(', ')
  const lines = [
    '.parameter init',
    `INSERT INTO temp.sqlite_parameters(key, value) VALUES ${rows};`,
    '.mode quote',
    `${sql};`,
  ]
  return sqlite(ctx, settings.database, lines)
}

const keyed = (key: string): [string, string] => [':key', `CAST(${hex(Buffer.from(key))} AS TEXT)`]

export default defineSdb({
  name: 'sqlite3',
  doc: 'Keys and values in a SQLite database.',
  args,
  get: async (ctx, key, settings): Promise<Value> => {
    const sql = settings.get_query ?? `SELECT value FROM ${quoted(settings.table)} WHERE key = :key`
    const printed = await run(ctx, settings, sql, new Map([keyed(key)]))
    const found = /^X'([0-9A-Fa-f]*)'/.exec(printed)
    return found ? decodeMsgpack(Buffer.from(found[1]!, 'hex'), { dialect: 'bus' }) : null
  },
  set: async (ctx, key, value, settings) => {
    const sql = settings.set_query ?? `INSERT OR REPLACE INTO ${quoted(settings.table)} VALUES (:key, :value)`
    await run(ctx, settings, sql, new Map([keyed(key), [':value', hex(encodeMsgpack(value, 'bus'))]]))
    return true
  },
})
