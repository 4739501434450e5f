// Jobs in the tables that Salt's SQL returners have: `jids` (jid, load), `salt_returns` (fun, jid, return, id, success,
// full_ret) and `salt_events` (tag, data, master_id). A dialect says how statements are run and texts are written.
import {
  type Dict,
  dumpJson,
  failure,
  isDict,
  loadJson,
  str,
  textOf,
  truthy,
  type Value,
} from '../../../../data/mod.ts'
import { type FunctionContext, option, type ReturnerFunctions } from '../../../../sdk/mod.ts'

export interface Dialect {
  /** Run statements; return their output. */
  run(ctx: FunctionContext, sql: string, ret?: Dict): Promise<string>
  /** A text as a literal. */
  text(value: string): string
  /** The name of a column, which may be a word of the language. */
  name(column: string): string
  /** The function that makes an object of names and values. */
  json: string
  /** The clauses that leave an existing job unchanged: before and after the statement. */
  keep: readonly [insert: string, after: string]
  /** The clause that a `SELECT` of literals needs before its `WHERE`. */
  from: string
  /** The statement, run after every other one of the same key has ended. */
  alone(key: string, sql: string): string
}

/** Seconds that a client may take, so that a server that hangs holds up its caller for a while only. */
const CLIENT_SECONDS = 60

/** A column may hold JSON as text, or as JSON. */
function dictOf(value: Value | undefined): Dict {
  const text = textOf(value ?? null)
  const parsed = text === undefined ? (value ?? null) : loadJson(text)
  return isDict(parsed) ? parsed : new Map()
}

export function tableReturner(dialect: Dialect): ReturnerFunctions {
  const { text, name } = dialect
  const insert = (table: string, row: Record<string, string>, [head, tail] = ['INSERT INTO', '']): string => {
    const columns = Object.keys(row).map(name).join(', ')
    return `${head} ${table} (${columns}) VALUES (${Object.values(row).map(text).join(', ')})${tail};\n`
  }
  // the tables have no key that would refuse a return which an earlier attempt with a lost answer has inserted
  const insertOnce = (row: Record<'fun' | 'jid' | 'id', string>): string => {
    const columns = Object.keys(row).map(name).join(', ')
    const known = (['jid', 'id', 'fun'] as const)
      .map((column) => `${name(column)} = ${text(row[column])}`)
      .join(' AND ')
    const values = Object.values(row).map(text).join(', ')
    return `INSERT INTO salt_returns (${columns}) SELECT ${values}${dialect.from}
      WHERE NOT EXISTS (SELECT 1 FROM salt_returns WHERE ${known});\n`
  }
  const select = async (ctx: FunctionContext, columns: readonly string[], rest: string): Promise<Dict[]> => {
    const pairs = columns.map((column) => `'${column}', ${name(column)}`).join(', ')
    const printed = await dialect.run(ctx, `SELECT ${dialect.json}(${pairs}) FROM ${rest};\n`)
    return printed
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => dictOf(line))
  }
  const returned = (rows: readonly Dict[]): Dict =>
    new Map(rows.map((row) => [row.get('id') ?? null, dictOf(row.get('full_ret'))]))
  return {
    returner: (ctx, ret) => {
      const row = {
        fun: str(ret.get('fun')!),
        jid: str(ret.get('jid')!),
        return: dumpJson(ret.get('return') ?? null),
        id: str(ret.get('id')!),
        success: truthy(ret.get('success') ?? false) ? 'True' : 'False',
        full_ret: dumpJson(ret),
      }
      return dialect.run(ctx, dialect.alone(`${row.jid} ${row.id}`, insertOnce(row)), ret)
    },
    event_return: (ctx, events) => {
      const master_id = option(ctx.opts, 'id')
      const rows = events.map((event) =>
        insert('salt_events', {
          tag: str(event.get('tag') ?? ''),
          data: dumpJson(event.get('data') ?? null),
          master_id,
        }),
      )
      return dialect.run(ctx, rows.join(''))
    },
    save_load: (ctx, jid, load) => dialect.run(ctx, insert('jids', { jid, load: dumpJson(load) }, [...dialect.keep])),
    get_load: async (ctx, jid) => {
      const [row] = await select(ctx, ['load'], `jids WHERE jid = ${text(jid)}`)
      return dictOf(row?.get('load'))
    },
    get_jid: async (ctx, jid) =>
      returned(await select(ctx, ['id', 'full_ret'], `salt_returns WHERE jid = ${text(jid)}`)),
    get_fun: async (ctx, fun) =>
      returned(await select(ctx, ['id', 'full_ret'], `salt_returns WHERE fun = ${text(fun)} ORDER BY jid`)),
    get_jids: async (ctx) => {
      const rows = await select(ctx, ['jid', 'load'], 'jids ORDER BY jid')
      return new Map(rows.map((row) => [str(row.get('jid') ?? ''), dictOf(row.get('load'))]))
    },
    get_minions: async (ctx) => {
      const rows = await select(ctx, ['id'], `(SELECT DISTINCT id FROM salt_returns) AS minions ORDER BY id`)
      return rows.map((row) => row.get('id') ?? null)
    },
  }
}

export interface Client {
  /** The server and its port, for errors. */
  place: string
  argv: readonly string[]
  env: ReadonlyMap<string, string>
}

/** Runs a database's own client, which reads statements from its input. */
export async function runClient(ctx: FunctionContext, { argv, env, place }: Client, sql: string): Promise<string> {
  const command = { argv, env, stdin: sql, timeout: CLIENT_SECONDS }
  const { retcode, stdout, stderr, timedOut } = await ctx.host.run(command)
  if (timedOut) throw failure(`${argv[0]} had no answer of the job cache at ${place} within ${CLIENT_SECONDS} seconds`)
  if (retcode === 0) return new TextDecoder().decode(stdout)
  const why = new TextDecoder().decode(stderr).trim()
  throw failure(`${argv[0]} could not use the job cache at ${place}: ${why}`)
}
