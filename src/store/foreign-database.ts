// Databases of other programs, opened read-only.
import { existsSync } from 'node:fs'
import type Libsql from 'libsql'
import { BrineError } from '../base/mod.ts'
import { float, int, type Value } from '../data/mod.ts'
import { libsql } from './database.ts'

export class ForeignDatabase {
  private readonly db: Libsql.Database

  /** `seconds` is how long it may be locked by others. */
  constructor(file: string, seconds: number) {
    if (!existsSync(file)) throw new BrineError('NoDatabase', `unable to open database file: ${file}`)
    const Opened = libsql()
    this.db = new Opened(file, { readonly: true, timeout: seconds * 1000 } as Libsql.Options)
  }

  /** The columns and rows of a query. */
  select(sql: string, parameters: readonly string[]): { fields: string[]; rows: Value[][] } {
    const statement = this.db.prepare(sql).safeIntegers(true).raw(true)
    const rows = statement.all(...parameters) as unknown[][]
    return { fields: statement.columns().map(({ name }) => name), rows: rows.map((row) => row.map(fromRow)) }
  }

  close(): void {
    this.db.close()
  }
}

function fromRow(kept: unknown): Value {
  if (typeof kept === 'bigint') return int(kept)
  if (typeof kept === 'number') return float(kept)
  if (kept instanceof ArrayBuffer) return new Uint8Array(kept)
  return (kept ?? null) as Value
}
