// Tables and rows of SQLite databases. An error of SQLite becomes the comment.
import { type Dict, equals, isDict, SaltError, str, type Value } from '../../../data/mod.ts'
import {
  arg,
  type Bound,
  changed,
  defineState,
  ensure,
  failed,
  foreseen,
  type StateContext,
  type StateReturn,
  type Steps,
  settled,
  state,
  type Verdict,
} from '../../../sdk/mod.ts'

const quoted = (name: string): string => `\`${name}\``

function literal(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : str(value)
}

/** Replace the question marks outside quotes of a condition by values. */
function filled(condition: string, values: Value): string {
  const list = Array.isArray(values) ? [...values] : []
  return condition.replace(/'(?:[^']|'')*'|\?/g, (piece) => (piece === '?' ? literal(list.shift() ?? null) : piece))
}

async function fetch(ctx: StateContext, db: string, sql: string): Promise<Value[][]> {
  const rows = await ctx.call('sqlite3.fetch', [db, sql])
  return rows === false ? [] : rows.filter((row) => Array.isArray(row))
}

async function rowsWhere(ctx: StateContext, db: string, table: string, condition: string): Promise<Dict[]> {
  const columns = (await fetch(ctx, db, `PRAGMA table_info(${quoted(table)})`)).map((column) => column[1] ?? null)
  const rows = await fetch(ctx, db, `SELECT * FROM ${quoted(table)} WHERE ${condition}`)
  return rows.map((row) => new Map(row.map((cell, i) => [columns[i] ?? i, cell])))
}

/** Take the steps of a state; an error of SQLite ends it. */
async function ensureOrError<Gap>(ctx: StateContext, steps: Steps<Gap>): Promise<StateReturn> {
  try {
    return await ensure(ctx, steps)
  } catch (error) {
    if (!(error instanceof SaltError)) throw error
    return failed(error.message).on(steps.name)
  }
}

const db = arg.text('Path of the database')
const rowArgs = {
  name: arg.any('Label of the row, shown as it is given'),
  db,
  table: arg.text('Name of the table'),
}
const where = {
  where_sql: arg.text('Condition that finds the row'),
  where_args: arg.any('List of values for the question marks of the condition', { optional: true }),
}
const presentRow = {
  ...rowArgs,
  data: arg.any('Values by column; anything but a dict counts as empty'),
  ...where,
  update: arg.flag('Whether a row with other values is updated', { default: false }),
}
const absentRow = { ...rowArgs, ...where }

/** Run a change of rows, and return whether it changed one. */
async function changesOne(ctx: StateContext, db: string, sql: string): Promise<boolean> {
  return equals((await fetch(ctx, db, `${sql}; SELECT changes()`))[0]?.[0] ?? null, 1)
}

function rowPresent(ctx: StateContext, given: Bound<typeof presentRow>): Promise<StateReturn> {
  const { name, db, table, data, update } = given
  const wanted: Dict = isDict(data) ? data : new Map()
  const condition = filled(given.where_sql, given.where_args)
  return ensureOrError<Dict | 'missing'>(ctx, {
    name,
    look: async () => {
      const rows = await rowsWhere(ctx, db, table, condition)
      if (rows.length > 1) return failed('More than one row matched the specified query')
      const [row] = rows
      if (!row) return 'missing'
      const differs = [...wanted].some(([key, value]) => row.has(key) && !equals(row.get(key) ?? null, value))
      if (!differs) return settled('Row exists')
      return update ? row : failed('Existing data doesnot match desired state')
    },
    foresee: (row) =>
      row === 'missing'
        ? foreseen(`Row will be inserted into ${table}`, { new: wanted })
        : foreseen(`Row will be update in ${table}`, { old: row, new: wanted }),
    act: async (row) => {
      if (row === 'missing') return insert(ctx, db, table, wanted)
      const settings = [...wanted].map(([key, value]) => `${quoted(str(key))}=${literal(value)}`)
      const done = await changesOne(ctx, db, `UPDATE ${quoted(table)} SET ${settings.join(',')} WHERE ${condition}`)
      return done ? changed('Row updated', { old: row, new: wanted }) : failed('Row update failed')
    },
  })
}

async function insert(ctx: StateContext, db: string, table: string, wanted: Dict): Promise<Verdict> {
  const columns = [...wanted.keys()].map((key) => quoted(str(key)))
  const values = [...wanted.values()].map(literal)
  const statement = `INSERT INTO ${quoted(table)} (${columns.join(',')}) VALUES (${values.join(',')})`
  return (await changesOne(ctx, db, statement))
    ? changed('Inserted row', { new: wanted })
    : failed('Unable to insert data')
}

function rowAbsent(ctx: StateContext, given: Bound<typeof absentRow>): Promise<StateReturn> {
  const { name, db, table } = given
  const condition = filled(given.where_sql, given.where_args)
  return ensureOrError<Dict>(ctx, {
    name,
    look: async () => {
      const rows = await rowsWhere(ctx, db, table, condition)
      if (rows.length > 1) return failed('More than one row matched the specified query')
      return rows[0] ?? settled('Row is absent')
    },
    foresee: (old) => foreseen(`Row will be removed in ${table}`, { old }),
    act: async (old) => {
      const done = await changesOne(ctx, db, `DELETE FROM ${quoted(table)} WHERE ${condition}`)
      return done ? changed('Row removed', { old }) : failed('Unable to remove row')
    },
  })
}

async function schemaOf(ctx: StateContext, db: string, name: string): Promise<string | undefined> {
  const query = `SELECT sql FROM sqlite_master WHERE type='table' AND name=${literal(name)}`
  const [row] = await fetch(ctx, db, query)
  return row && str(row[0] ?? null)
}

const table = {
  name: arg.text('Name of the table'),
  db,
  schema: arg.any('List of columns, or the whole CREATE TABLE statement'),
  force: arg.flag('Whether a table with another schema is replaced', { default: false }),
}

function tablePresent(ctx: StateContext, { name, db, schema, force }: Bound<typeof table>): Promise<StateReturn> {
  const wanted = Array.isArray(schema) ? `CREATE TABLE ${quoted(name)} (${schema.map(str).join(',')})` : str(schema)
  const sql = wanted.trim()
  return ensureOrError<{ current: string } | 'missing'>(ctx, {
    name,
    look: async () => {
      const current = await schemaOf(ctx, db, name)
      if (current === undefined) return 'missing'
      if (sql === current) return settled(`'${name}' exists with matching schema`)
      return force ? { current } : failed(`Expected schema=${sql}\nactual schema=${current}`)
    },
    foresee: (gap) =>
      gap === 'missing'
        ? foreseen(`'${name}' will be created`, { new: wanted })
        : foreseen(`'${name}' will be replaced`, { old: gap.current, new: sql }),
    act: async (gap) => {
      if (gap === 'missing') {
        await ctx.call('sqlite3.modify', [db, wanted])
        return changed(`Created table '${name}'`, { new: wanted })
      }
      await ctx.call('sqlite3.modify', [db, `DROP TABLE ${quoted(name)}; ${sql}`])
      return changed(`Replaced '${name}'`, { old: gap.current, new: sql })
    },
  })
}

const tableAbsent = (ctx: StateContext, name: string, db: string): Promise<StateReturn> =>
  ensureOrError<string>(ctx, {
    name,
    look: async () => (await schemaOf(ctx, db, name)) ?? settled(`'${name}' is already absent`),
    foresee: (old) => foreseen(`'${name}' will be dropped`, { old }),
    act: async (old) => {
      await ctx.call('sqlite3.modify', [db, `DROP TABLE ${quoted(name)}`])
      return changed(`'${name}' was dropped`, { old })
    },
  })

export default defineState({
  name: 'sqlite3',
  doc: 'Manage tables and rows of SQLite databases.',
  when: async ({ host }) => (await host.which('sqlite3')) !== undefined || 'Unable to find the program sqlite3',
  functions: {
    row_present: state({
      doc: 'Ensure that a row exists with the given values.',
      args: presentRow,
      run: rowPresent,
    }),
    row_absent: state({
      doc: 'Ensure that a row does not exist.',
      args: absentRow,
      run: rowAbsent,
    }),
    table_present: state({
      doc: 'Ensure that a table exists with the given schema.',
      args: table,
      run: tablePresent,
    }),
    table_absent: state({
      doc: 'Ensure that a table does not exist.',
      args: { name: table.name, db },
      run: (ctx, { name, db }) => tableAbsent(ctx, name, db),
    }),
  },
})
