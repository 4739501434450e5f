// Queues of items in order of insertion; each item is in a queue once. One database for each queue, with the table of
// Salt's sqlite queue, so that existing queues are taken over.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BrineError } from '../base/mod.ts'
import { type Database, openDatabase } from './database.ts'
import type { Schema } from './schema.ts'

export class QueueError extends BrineError<'ItemExists' | 'QueueName'> {}

const tableOf = (queue: string): string => `"${queue.replaceAll('"', '""')}"`

/** The steps of the database of a queue, whose table has the name of the queue. */
export function queueSchema(queue: string): Schema {
  const table = `CREATE TABLE IF NOT EXISTS ${tableOf(queue)} (id INTEGER PRIMARY KEY, name TEXT UNIQUE)`
  return { name: 'queue', migrations: [{ version: '1.0', up: table, down: '' }] }
}

export class QueueStore {
  private readonly directory: string
  private readonly open = new Map<string, Database>()

  constructor(directory: string) {
    this.directory = directory
  }

  names(): string[] {
    if (!existsSync(this.directory)) return []
    const files = readdirSync(this.directory).filter((name) => name.endsWith('.db'))
    return files.map((name) => name.slice(0, -'.db'.length)).sort()
  }

  items(queue: string): string[] {
    const { db, table } = this.table(queue)
    return namesIn(db.prepare(`SELECT name FROM ${table} ORDER BY id`).all())
  }

  length(queue: string): number {
    const { db, table } = this.table(queue)
    return (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
  }

  /** Stop at the first existing item; the earlier ones stay inserted. */
  insert(queue: string, items: readonly string[]): void {
    const { db, table } = this.table(queue)
    const insert = db.prepare(`INSERT INTO ${table} (name) VALUES (?) ON CONFLICT DO NOTHING`)
    for (const item of items) {
      if (insert.run(item).changes > 0) continue
      throw new QueueError('ItemExists', `UNIQUE constraint failed: ${queue}.name`)
    }
  }

  delete(queue: string, items: readonly string[]): void {
    const { db, table } = this.table(queue)
    const remove = db.prepare(`DELETE FROM ${table} WHERE name = ?`)
    for (const item of items) remove.run(item)
  }

  /** Remove and return the first ones, or all; no two programs get the same item. */
  pop(queue: string, count: number | undefined): string[] {
    const { db, table } = this.table(queue)
    const limit = count === undefined ? -1 : count
    const take = db.prepare(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} ORDER BY id LIMIT ?) RETURNING id, name`,
    )
    const taken = take.all(limit) as Array<{ id: number; name: string }>
    return namesIn(taken.sort((a, b) => a.id - b.id))
  }

  close(): void {
    for (const db of this.open.values()) db.close()
    this.open.clear()
  }

  private table(queue: string): { db: Database; table: string } {
    if (!/^[^./][^/\0]*$/.test(queue)) throw new QueueError('QueueName', `'${queue}' cannot be the name of a queue`)
    const table = tableOf(queue)
    const db = this.open.get(queue) ?? openDatabase(join(this.directory, `${queue}.db`), queueSchema(queue))
    this.open.set(queue, db)
    return { db, table }
  }
}

const namesIn = (rows: unknown[]): string[] => rows.map((row) => (row as { name: string }).name)
