// Jobs and returns that wait for the job caches besides the master's own store, by the name of the cache. Each stays
// until the cache has it.
import type { Value } from '../data/mod.ts'
import { type Database, openDatabase, pack, unpackValue } from './database.ts'
import type { Schema } from './schema.ts'
import type { StorageUse } from './storage-watch.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS waiting (
    id INTEGER PRIMARY KEY AUTOINCREMENT, cache TEXT NOT NULL, jid TEXT NOT NULL, fun TEXT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, is_refused INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL, data BLOB NOT NULL);
  CREATE INDEX IF NOT EXISTS waiting_by_turn ON waiting (cache, is_refused, tries, id);
  CREATE INDEX IF NOT EXISTS waiting_by_job ON waiting (cache, jid, fun);
`

/** The steps of this database. */
export const CACHE_QUEUE_SCHEMA: Schema = {
  name: 'job_caches',
  migrations: [{ version: '1.0', up: TABLES, down: '' }],
}

export interface CacheEntry {
  id: number
  /** The function of the returner that takes it. */
  fun: 'save_load' | 'returner'
  jid: string
  /** The job and its minions, or the return. */
  data: Value
}

/** The size of a cache's queue. */
export interface Waiting {
  count: number
  bytes: number
}

export class CacheQueueStore {
  private readonly db: Database

  constructor(file: string, use?: StorageUse) {
    this.db = openDatabase(file, CACHE_QUEUE_SCHEMA, use)
  }

  /** Keep an entry; return its number and its bytes. */
  add(cache: string, { fun, jid, data }: Omit<CacheEntry, 'id'>): { id: number; bytes: number } {
    const packed = pack(data)
    const sql = 'INSERT INTO waiting (cache, jid, fun, bytes, data) VALUES (?, ?, ?, ?, ?) RETURNING id'
    const { id } = this.db.prepare(sql).get(cache, jid, fun, packed.length, packed) as { id: number }
    return { id: Number(id), bytes: packed.length }
  }

  /**
   * Return the next entry besides those being sent. A job precedes its returns, and failed entries come after the rest.
   */
  next(cache: string, underWay: readonly number[]): (CacheEntry & { bytes: number }) | undefined {
    const others = underWay.map(() => '?').join(', ')
    const row = this.db
      .prepare(
        `SELECT id, fun, jid, bytes, data FROM waiting AS one
          WHERE cache = ? AND is_refused = 0 AND id NOT IN (${others}) AND (fun = 'save_load' OR NOT EXISTS (
            SELECT 1 FROM waiting WHERE cache = one.cache AND jid = one.jid AND fun = 'save_load' AND is_refused = 0))
          ORDER BY tries, id LIMIT 1`,
      )
      .get(cache, ...underWay) as (Omit<CacheEntry, 'data'> & { bytes: number; data: unknown }) | undefined
    return row && { ...row, id: Number(row.id), bytes: Number(row.bytes), data: unpackValue(row.data) }
  }

  /** Let an entry wait after those that failed less often. */
  failed(id: number): void {
    this.db.prepare('UPDATE waiting SET tries = tries + 1 WHERE id = ?').run(id)
  }

  /** Try an entry again only after the next start. */
  refuse(id: number): void {
    this.db.prepare('UPDATE waiting SET is_refused = 1 WHERE id = ?').run(id)
  }

  /** Try everything again, in the order it came. */
  retryAll(cache: string): void {
    this.db
      .prepare('UPDATE waiting SET is_refused = 0, tries = 0 WHERE cache = ? AND is_refused + tries > 0')
      .run(cache)
  }

  remove(id: number): void {
    this.db.prepare('DELETE FROM waiting WHERE id = ?').run(id)
  }

  waiting(cache: string): Waiting {
    const sql = 'SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM waiting WHERE cache = ?'
    const { count, bytes } = this.db.prepare(sql).get(cache) as Waiting
    return { count: Number(count), bytes: Number(bytes) }
  }

  close(): void {
    this.db.close()
  }
}
