// What the reactor did and why: one record for each event that a rule matched, with the calls that came of it. Kept in an
// embedded database, so that the reason for a job can be asked for at any time, also by other programs.
import type { Dict } from '../data/mod.ts'
import { type Database, openDatabase, pack, unpackDict } from './database.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS reaction (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, tag TEXT NOT NULL, is_open INTEGER NOT NULL, record BLOB NOT NULL);
  CREATE INDEX IF NOT EXISTS reaction_open ON reaction (is_open) WHERE is_open = 1;
`

/** Older ones make room. */
const KEPT = 20_000

interface Row {
  id: number
  record: Uint8Array | ArrayBuffer
}

export interface KeptReaction {
  id: number
  record: Dict
}

export class ReactionStore {
  private readonly db: Database

  constructor(file: string) {
    this.db = openDatabase(file, SCHEMA)
  }

  /** Keeps a reaction that begins; gives its number. */
  begin(tag: string, record: Dict): number {
    const insert = this.db.prepare('INSERT INTO reaction (at, tag, is_open, record) VALUES (?, ?, 1, ?)')
    const id = Number(insert.run(Date.now() / 1000, tag, pack(record)).lastInsertRowid)
    if (id % 1000 === 0) this.db.prepare('DELETE FROM reaction WHERE id <= ?').run(id - KEPT)
    return id
  }

  update(id: number, record: Dict, isOpen: boolean): void {
    this.db.prepare('UPDATE reaction SET record = ?, is_open = ? WHERE id = ?').run(pack(record), isOpen ? 1 : 0, id)
  }

  /** The last ones, newest first. */
  last(count: number): KeptReaction[] {
    return this.rows('SELECT id, record FROM reaction ORDER BY id DESC LIMIT ?', count)
  }

  one(id: number): KeptReaction | undefined {
    return this.rows('SELECT id, record FROM reaction WHERE id = ?', id)[0]
  }

  /** Those to events of one tag, newest first. */
  to(tag: string, count: number): KeptReaction[] {
    return this.rows('SELECT id, record FROM reaction WHERE tag = ? ORDER BY id DESC LIMIT ?', tag, count)
  }

  /** Those in whose record a text stands, such as the number of a job, newest first. */
  about(text: string, count: number): KeptReaction[] {
    const sql = 'SELECT id, record FROM reaction WHERE instr(record, ?) > 0 ORDER BY id DESC LIMIT ?'
    return this.rows(sql, Buffer.from(text), count)
  }

  /** Those whose event another reaction's work fired. */
  causedBy(id: number, count: number): KeptReaction[] {
    const later = this.rows('SELECT id, record FROM reaction WHERE id > ? ORDER BY id LIMIT ?', id, count)
    return later.filter(({ record }) => record.get('cause') === id)
  }

  /** Those that had not ended when they were last heard of. */
  open(): KeptReaction[] {
    return this.rows('SELECT id, record FROM reaction WHERE is_open = ? ORDER BY id', 1)
  }

  close(): void {
    this.db.close()
  }

  private rows(sql: string, ...values: Array<number | string | Buffer>): KeptReaction[] {
    return (this.db.prepare(sql).all(...values) as Row[]).map(({ id, record }) => ({ id, record: unpackDict(record) }))
  }
}
