// Statements of a database.

export type Parameter = string | number | Buffer | null

export interface Statement {
  run(...values: Parameter[]): { changes: number }
  get(...values: Parameter[]): unknown
  all(...values: Parameter[]): unknown[]
}

export interface SqlDatabase {
  prepare(sql: string): Statement
  /** Do work as a whole or not at all. */
  transaction(work: () => void): void
}
