// `sqlite3`: jobs in the tables `jids` and `salt_returns` of a SQLite database, which are created if they are missing.
import { type Dict, dumpJson, failure, isDict, isList, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { defineReturner, type FunctionContext, returnerOptions } from '../../../sdk/mod.ts'

const DEFAULTS = { database: '/var/lib/salt/salt.db', timeout: 5 }

const TABLES = [
  'CREATE TABLE IF NOT EXISTS jids (jid TEXT PRIMARY KEY, load TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS salt_returns (id TEXT NOT NULL, jid TEXT NOT NULL, fun TEXT NOT NULL, fun_args TEXT, date TEXT NOT NULL, ' +
    'full_ret TEXT NOT NULL, success TEXT)',
]

/** Write a text as a literal that no character can end. */
const literal = (text: string | null): string =>
  text === null ? 'NULL' : `CAST(X'${Buffer.from(text).toString('hex')}' AS TEXT)`

interface Database {
  change(sql: string): Promise<void>
  rows(sql: string): Promise<Value[][]>
}

async function database(ctx: FunctionContext, ret?: Dict): Promise<Database> {
  const options = await returnerOptions(ctx, 'sqlite3', DEFAULTS, ret)
  const file = str(options.database)
  if (file === '') throw failure('sqlite3 config option "sqlite3.database" is missing')
  const run = async (fun: string, sql: string): Promise<Value> => {
    for (const table of TABLES) await ctx.call('sqlite3.modify', [file, table])
    return ctx.call(`sqlite3.${fun}`, [file, sql])
  }
  return {
    change: async (sql) => void (await run('modify', sql)),
    rows: async (sql) => {
      const found = await run('fetch', sql)
      return isList(found) ? found.map((row) => (isList(row) ? [...row] : [...(row as Iterable<Value>)])) : []
    },
  }
}

const parsed = (text: Value | undefined): Value => loadJson(str(text ?? 'null'))

const asDict = (value: Value): Dict => (isDict(value) ? value : new Map())

export default defineReturner({
  name: 'sqlite3_return',
  virtual: 'sqlite3',
  doc: 'Store jobs in a SQLite database. Option `sqlite3.database` names the file; the program sqlite3 must be installed.',
  functions: {
    returner: async (ctx, ret) => {
      const args = ret.get('fun_args') ?? null
      const values = [
        literal(str(ret.get('fun') ?? '')),
        literal(str(ret.get('jid') ?? '')),
        literal(str(ret.get('id') ?? '')),
        literal(truthy(args) ? str(args) : null),
        literal(new Date().toISOString().replace('T', ' ').replace('Z', '')),
        literal(dumpJson(ret.get('return') ?? null)),
        literal(truthy(ret.get('success') ?? '') ? '1' : '0'),
      ]
      const columns = 'fun, jid, id, fun_args, date, full_ret, success'
      await (await database(ctx, ret)).change(`INSERT INTO salt_returns (${columns}) VALUES (${values.join(', ')})`)
    },
    save_load: async (ctx, jid, load) => {
      const values = `${literal(jid)}, ${literal(dumpJson(load))}`
      await (await database(ctx)).change(`INSERT OR REPLACE INTO jids (jid, load) VALUES (${values})`)
    },
    get_load: async (ctx, jid) => {
      const [row] = await (await database(ctx)).rows(`SELECT load FROM jids WHERE jid = ${literal(jid)}`)
      return asDict(row ? parsed(row[0]) : null)
    },
    get_jid: async (ctx, jid) => {
      const found = await (await database(ctx)).rows(
        `SELECT id, full_ret FROM salt_returns WHERE jid = ${literal(jid)}`,
      )
      return new Map(found.map(([id, text]) => [id!, new Map([['return', parsed(text)]])]))
    },
    get_fun: async (ctx, fun) => {
      const last = `SELECT MAX(jid) FROM salt_returns o WHERE o.fun = s.fun AND o.id = s.id`
      const sql = `SELECT s.id, s.full_ret FROM salt_returns s WHERE s.fun = ${literal(fun)} AND s.jid = (${last})`
      const found = await (await database(ctx)).rows(sql)
      return new Map(found.map(([id, text]) => [id!, new Map([['return', parsed(text)]])]))
    },
    get_jids: async (ctx) => {
      const found = await (await database(ctx)).rows('SELECT jid, load FROM jids ORDER BY jid')
      return new Map(found.map(([jid, load]) => [str(jid!), asDict(parsed(load))]))
    },
    get_minions: async (ctx) =>
      (await (await database(ctx)).rows('SELECT DISTINCT id FROM salt_returns ORDER BY id')).map(([id]) => id!),
  },
})
