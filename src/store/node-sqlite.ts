// SQLite of Node itself under the interface of libsql, for one-file programs, which can hold no native library.
import type Libsql from 'libsql'

/** The used part of `node:sqlite`; the types of Node 20 have no such module. */
interface NodeStatement {
  run(...values: unknown[]): { changes: number | bigint }
  get(...values: unknown[]): unknown
  all(...values: unknown[]): unknown[]
  columns(): { name: string }[]
  setReadBigInts(on: boolean): void
  setReturnArrays(on: boolean): void
}

interface NodeDatabase {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): NodeStatement
  close(): void
}

interface NodeSqlite {
  DatabaseSync: new (file: string, options: { readOnly: boolean; timeout: number }) => NodeDatabase
}

class SqliteStatement {
  private readonly statement: NodeStatement

  constructor(statement: NodeStatement) {
    this.statement = statement
  }

  run(...values: unknown[]): { changes: number } {
    return { changes: Number(this.statement.run(...values).changes) }
  }

  get(...values: unknown[]): unknown {
    return withBuffers(this.statement.get(...values))
  }

  all(...values: unknown[]): unknown[] {
    return this.statement.all(...values).map(withBuffers)
  }

  columns(): { name: string }[] {
    return this.statement.columns()
  }

  safeIntegers(on: boolean): this {
    this.statement.setReadBigInts(on)
    return this
  }

  raw(on: boolean): this {
    this.statement.setReturnArrays(on)
    return this
  }
}

/** Convert bytes of a row to Buffer, as in libsql. */
function withBuffers(row: unknown): unknown {
  if (row === null || typeof row !== 'object') return row
  const record = row as Record<string, unknown>
  for (const [key, value] of Object.entries(record)) {
    if (value instanceof Uint8Array) record[key] = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
  return row
}

/** Return a constructor that opens databases. */
export function nodeSqlite(load: (name: string) => unknown): typeof Libsql {
  const { DatabaseSync } = load('node:sqlite') as NodeSqlite
  class SqliteDatabase {
    private readonly db: NodeDatabase

    constructor(file: string, { readonly = false, timeout = 0 }: { readonly?: boolean; timeout?: number } = {}) {
      this.db = new DatabaseSync(file, { readOnly: readonly, timeout })
    }

    get inTransaction(): boolean {
      return this.db.isTransaction
    }

    exec(sql: string): void {
      this.db.exec(sql)
    }

    prepare(sql: string): SqliteStatement {
      return new SqliteStatement(this.db.prepare(sql))
    }

    close(): void {
      this.db.close()
    }
  }
  return SqliteDatabase as unknown as typeof Libsql
}
