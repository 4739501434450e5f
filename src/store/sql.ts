// Statements of a database.

export type SqlParameter = string | number | Buffer | null

export interface Statement {
  run(...values: SqlParameter[]): { changes: number }
  get(...values: SqlParameter[]): unknown
  all(...values: SqlParameter[]): unknown[]
}

export interface SqlDatabase {
  prepare(sql: string): Statement
  /** Do work as a whole or not at all. */
  transaction(work: () => void): void
}
