// Reads the rest of a damaged database. A cut file lacks its last pages, which contain the newest data; rows are read
// in the order of their keys up to the first unreadable one.
import { isAnyError, recover } from '../base/mod.ts'
import type { SqlDatabase, SqlParameter } from './sql.ts'

/** Rows that are read at once. */
const AT_ONCE = 100

type Row = Record<string, SqlParameter>

/** Copy the rows of all tables that both databases have; return how many. A ledger is made anew from the other tables. */
export function salvage(damaged: SqlDatabase, fresh: SqlDatabase): number {
  const isCopied = "type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'ledger_%'"
  const tables = fresh.prepare(`SELECT name FROM sqlite_master WHERE ${isCopied}`).all()
  return tables.reduce((sum: number, row) => sum + salvageTable(damaged, fresh, (row as { name: string }).name), 0)
}

function salvageTable(damaged: SqlDatabase, fresh: SqlDatabase, name: string): number {
  const columns = fresh.prepare(`PRAGMA table_info("${name}")`).all() as Array<{ name: string; pk: number }>
  const keys = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  const key = keys.map((column) => column.name)
  if (key.length === 0) return 0
  const places = columns.map(() => '?').join(', ')
  let count = 0
  let after: SqlParameter[] | undefined
  let limit = AT_ONCE
  for (;;) {
    const rows = readAfter(damaged, name, key, after, limit)
    // if a block of rows is unreadable, its first rows may be readable
    if (rows === undefined && limit > 1) limit = 1
    else if (rows === undefined || rows.length === 0) return count
    else {
      fresh.transaction(() => {
        const insert = fresh.prepare(`INSERT OR IGNORE INTO "${name}" VALUES (${places})`)
        for (const row of rows) count += insert.run(...columns.map((column) => row[column.name] ?? null)).changes
      })
      after = key.map((column) => rows.at(-1)![column]!)
    }
  }
}

/** Undefined if they cannot be read. */
function readAfter(
  damaged: SqlDatabase,
  name: string,
  key: readonly string[],
  after: SqlParameter[] | undefined,
  limit: number,
): Row[] | undefined {
  const order = key.join(', ')
  const beyond = after ? `WHERE (${order}) > (${key.map(() => '?').join(', ')})` : ''
  // the damage is already reported
  return recover(isAnyError, undefined, () => {
    const sql = `SELECT * FROM "${name}" ${beyond} ORDER BY ${order} LIMIT ${limit}`
    return (damaged.prepare(sql).all(...(after ?? [])) as Array<Record<string, unknown>>).map(fromRow)
  })
}

/** Bytes come as the memory underneath. */
function fromRow(row: Record<string, unknown>): Row {
  const values = Object.entries(row).map(([column, value]) => [
    column,
    value instanceof ArrayBuffer ? Buffer.from(value) : (value as SqlParameter),
  ])
  return Object.fromEntries(values)
}
