// Tables and rows of SQLite databases. An error of SQLite is the comment.
import { type Dict, equals, isDict, SaltError, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

const quoted = (name: string): string => `\`${name}\``

function literal(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : str(value)
}

/** A condition with its question marks filled in, outside quotes. */
function filled(condition: Value, values: Value): string {
  const list = truthy(values) ? [...(values as Value[])] : []
  return str(condition).replace(/'(?:[^']|'')*'|\?/g, (piece) =>
    piece === '?' ? literal(list.shift() ?? null) : piece,
  )
}

const fetch = async (ctx: StateContext, db: Value, sql: string): Promise<Value[][]> =>
  (await ctx.call('sqlite3.fetch', [db, sql])) as Value[][]

async function rowsWhere(ctx: StateContext, db: Value, table: string, condition: string): Promise<Dict[]> {
  const columns = (await fetch(ctx, db, `PRAGMA table_info(${quoted(table)})`)).map((column) => column[1]!)
  const rows = await fetch(ctx, db, `SELECT * FROM ${quoted(table)} WHERE ${condition}`)
  return rows.map((row) => new Map(row.map((cell, i) => [columns[i] ?? i, cell])))
}

type Told = [result: boolean | null, comment: string, changes?: Readonly<Record<string, Value>>]

/** The report of a body whose errors are comments. */
async function told(name: Value, body: () => Promise<Told>): Promise<StateReturn> {
  try {
    const [result, comment, changes = {}] = await body()
    return { name, changes, result, comment }
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return { name, changes: {}, result: false, comment: error.message }
  }
}

type Given = Readonly<Record<string, Value>>

/** Runs a change of rows and tells whether it met one. */
async function meetsOne(ctx: StateContext, db: Value, sql: string): Promise<boolean> {
  return equals((await fetch(ctx, db, `${sql}; SELECT changes()`))[0]?.[0] ?? null, 1)
}

async function rowPresent(ctx: StateContext, given: Given): Promise<Told> {
  const { db = null, data = null } = given
  const table = str(given['table']!)
  const wanted = isDict(data) ? data : new Map<Value, Value>()
  const condition = filled(given['where_sql']!, given['where_args']!)
  const rows = await rowsWhere(ctx, db, table, condition)
  if (rows.length > 1) return [false, 'More than one row matched the specified query']
  const [row] = rows
  if (!row) return insert(ctx, db, table, wanted)
  const differs = [...wanted].some(([key, value]) => row.has(key) && !equals(row.get(key)!, value))
  if (!differs) return [true, 'Row exists']
  if (!truthy(given['update']!)) return [false, 'Existing data doesnot match desired state']
  if (ctx.test) return [null, `Row will be update in ${table}`, { old: row, new: wanted }]
  const settings = [...wanted].map(([key, value]) => `${quoted(str(key))}=${literal(value)}`)
  const done = await meetsOne(ctx, db, `UPDATE ${quoted(table)} SET ${settings.join(',')} WHERE ${condition}`)
  return done ? [true, 'Row updated', { old: row, new: wanted }] : [false, 'Row update failed']
}

async function insert(ctx: StateContext, db: Value, table: string, wanted: Dict): Promise<Told> {
  if (ctx.test) return [null, `Row will be inserted into ${table}`, { new: wanted }]
  const columns = [...wanted.keys()].map((key) => quoted(str(key)))
  const values = [...wanted.values()].map(literal)
  const statement = `INSERT INTO ${quoted(table)} (${columns.join(',')}) VALUES (${values.join(',')})`
  return (await meetsOne(ctx, db, statement))
    ? [true, 'Inserted row', { new: wanted }]
    : [false, 'Unable to insert data']
}

async function rowAbsent(ctx: StateContext, given: Given): Promise<Told> {
  const table = str(given['table']!)
  const condition = filled(given['where_sql']!, given['where_args']!)
  const rows = await rowsWhere(ctx, given['db']!, table, condition)
  const [row] = rows
  if (!row) return [true, 'Row is absent']
  if (rows.length > 1) return [false, 'More than one row matched the specified query']
  if (ctx.test) return [null, `Row will be removed in ${table}`, { old: row }]
  const done = await meetsOne(ctx, given['db']!, `DELETE FROM ${quoted(table)} WHERE ${condition}`)
  return done ? [true, 'Row removed', { old: row }] : [false, 'Unable to remove row']
}

async function schemaOf(ctx: StateContext, db: Value, name: string): Promise<string | undefined> {
  const query = `SELECT sql FROM sqlite_master WHERE type='table' AND name=${literal(name)}`
  const found = await fetch(ctx, db, query)
  return found[0] ? str(found[0][0]!) : undefined
}

async function tablePresent(ctx: StateContext, given: Given): Promise<Told> {
  const { db = null, schema = null } = given
  const name = str(given['name']!)
  const wanted =
    typeof schema === 'string'
      ? schema
      : `CREATE TABLE ${quoted(name)} (${(schema as Value[]).map((column) => str(column)).join(',')})`
  const current = await schemaOf(ctx, db, name)
  if (current === undefined) {
    if (ctx.test) return [null, `'${name}' will be created`, { new: wanted }]
    await ctx.call('sqlite3.modify', [db, wanted])
    return [true, `Created table '${name}'`, { new: wanted }]
  }
  const sql = wanted.trim()
  if (sql === current) return [true, `'${name}' exists with matching schema`]
  if (!truthy(given['force']!)) return [false, `Expected schema=${sql}\nactual schema=${current}`]
  if (ctx.test) return [null, `'${name}' will be replaced`, { old: current, new: sql }]
  await ctx.call('sqlite3.modify', [db, `DROP TABLE ${quoted(name)}; ${sql}`])
  return [true, `Replaced '${name}'`, { old: current, new: sql }]
}

async function tableAbsent(ctx: StateContext, name: string, db: Value): Promise<Told> {
  const current = await schemaOf(ctx, db, name)
  if (current === undefined) return [true, `'${name}' is already absent`]
  if (ctx.test) return [null, `'${name}' will be dropped`, { old: current }]
  await ctx.call('sqlite3.modify', [db, `DROP TABLE ${quoted(name)}`])
  return [true, `'${name}' was dropped`, { old: current }]
}

const db = arg.any('The file of the database')
const where = {
  where_sql: arg.text('The condition that finds the row'),
  where_args: arg.any('Values for its question marks', { optional: true }),
}
const table = arg.text('The table')
const row = { name: arg.any('A name for the row'), db, table }

export default defineState({
  name: 'sqlite3',
  doc: 'Keep tables and rows of SQLite databases.',
  when: async ({ host }) => (await host.which('sqlite3')) !== undefined || 'Unable to find the program sqlite3',
  functions: {
    row_present: state({
      doc: 'A row is there.',
      args: {
        ...row,
        data: arg.any('Columns and their values'),
        ...where,
        update: arg.flag('Whether a row that differs is changed', { default: false }),
      },
      run: (ctx, given) => told(given.name, () => rowPresent(ctx, given)),
    }),
    row_absent: state({
      doc: 'A row is not there.',
      args: { ...row, ...where },
      run: (ctx, given) => told(given.name, () => rowAbsent(ctx, given)),
    }),
    table_present: state({
      doc: 'A table is there, with this schema.',
      args: {
        name: arg.text('The table'),
        db,
        schema: arg.any('A list of columns, or the whole statement'),
        force: arg.flag('Whether a table that differs is replaced', { default: false }),
      },
      run: (ctx, given) => told(given.name, () => tablePresent(ctx, given)),
    }),
    table_absent: state({
      doc: 'A table is not there.',
      args: { name: arg.text('The table'), db },
      run: (ctx, { name, db }) => told(name, () => tableAbsent(ctx, name, db)),
    }),
  },
})
