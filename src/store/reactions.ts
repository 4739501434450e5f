// The records of the reactor: one for each event that a rule matched, with its calls. Stored in an embedded database,
// so that any program can query the cause of a job at any time. Concurrent changes are written together: the disk costs
// by the transaction.
import type { Dict } from '../data/mod.ts'
import { type Database, openDatabase, pack, unpackDict } from './database.ts'
import type { Schema } from './schema.ts'
import type { Statement } from './sql.ts'
import type { StorageUse } from './storage-watch.ts'

interface Changed {
  at: number
  tag: string
  record: Dict
  isOpen: boolean
  mark?: string | undefined
}

/** A changed record of a reaction. */
export type ReactionChange = Omit<Changed, 'at'>

const TABLES = `
  CREATE TABLE IF NOT EXISTS reaction (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, tag TEXT NOT NULL, is_open INTEGER NOT NULL, record BLOB NOT NULL);
  CREATE INDEX IF NOT EXISTS reaction_open ON reaction (is_open) WHERE is_open = 1;
`

/** The steps of this database. */
export const REACTIONS_SCHEMA: Schema = {
  name: 'reactions',
  migrations: [
    { version: '1.0', up: TABLES, down: '' },
    {
      version: '1.1',
      up: `ALTER TABLE reaction ADD COLUMN mark TEXT;
        CREATE INDEX reaction_mark ON reaction (mark) WHERE mark IS NOT NULL;`,
      down: 'DROP INDEX reaction_mark; ALTER TABLE reaction DROP COLUMN mark;',
    },
  ],
}

/** Older records are removed. */
const KEPT = 20_000

/** Records that wait in memory while the disk refuses them. */
const MOST_UNWRITTEN = 5000

const COLUMNS = 'id, at, mark, record'

interface Row {
  id: number
  at: number
  mark: string | null
  record: Uint8Array | ArrayBuffer
}

export interface KeptReaction {
  id: number
  /** When it began, in seconds since 1970. */
  at: number
  /** The id of the event in a cluster; undefined for an event of this master alone. */
  mark?: string
  record: Dict
}

export class ReactionStore {
  private readonly db: Database
  private changed = new Map<number, Changed>()
  /** The numbers of unwritten records by their mark. */
  private readonly marked = new Map<string, number>()
  private writing: Promise<void> | undefined
  private put: Statement | undefined
  private lastId: number | undefined

  constructor(file: string, use?: StorageUse) {
    this.db = openDatabase(file, REACTIONS_SCHEMA, use)
  }

  /** Store a reaction that begins, and return its number. Only one process does that. */
  begin(tag: string, record: Dict, mark?: string): number {
    this.lastId ??= Number(
      (this.db.prepare('SELECT max(id) AS last FROM reaction').get() as { last: number | null }).last,
    )
    const id = ++this.lastId
    this.change(id, { at: Date.now() / 1000, tag, record, isOpen: true, mark })
    return id
  }

  /** The record is read when it is written, with all changes until then. */
  update(id: number, change: ReactionChange): void {
    const known = this.changed.get(id)
    if (known) Object.assign(known, change)
    else this.change(id, { at: Date.now() / 1000, ...change })
  }

  /** Return the number of the reaction to an event of the cluster. */
  idOf(mark: string): number | undefined {
    const unwritten = this.marked.get(mark)
    if (unwritten !== undefined) return unwritten
    return (this.db.prepare('SELECT id FROM reaction WHERE mark = ?').get(mark) as { id: number } | undefined)?.id
  }

  private change(id: number, changed: Changed): void {
    this.changed.set(id, changed)
    if (changed.mark !== undefined) this.marked.set(changed.mark, id)
    this.writing ??= new Promise((done, fail) => {
      setImmediate(() => {
        try {
          this.flush()
          done()
        } catch (error) {
          fail(error)
        }
      })
    })
    // callers that await it get the error
    this.writing.catch(() => {})
  }

  /** The writing that is due, if any. */
  get pending(): Promise<void> | undefined {
    return this.writing
  }

  /** Resolves when everything so far is in the database. */
  kept(): Promise<void> {
    return this.writing ?? Promise.resolve()
  }

  private flush(): void {
    const { changed } = this
    this.changed = new Map()
    this.writing = undefined
    if (changed.size === 0) return
    this.put ??= this.db.prepare(
      `INSERT INTO reaction (id, at, tag, is_open, mark, record) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET record = excluded.record, is_open = excluded.is_open`,
    )
    const { db, put } = this
    try {
      db.transaction(() => {
        for (const [id, { at, tag, record, isOpen, mark }] of changed) {
          put.run(id, at, tag, isOpen ? 1 : 0, mark ?? null, pack(record))
          if (id % 1000 === 0) db.prepare('DELETE FROM reaction WHERE id <= ?').run(id - KEPT)
        }
      })
    } catch (error) {
      this.keepForLater(changed)
      throw error
    }
    this.marked.clear()
  }

  /** Keep failed writes, for example on a full disk, and write them with the next change. */
  private keepForLater(unwritten: Map<number, Changed>): void {
    this.changed = new Map([...unwritten, ...this.changed])
    for (const [oldest] of this.changed) if (this.changed.size > MOST_UNWRITTEN) this.changed.delete(oldest)
  }

  /** Return the last ones, newest first. */
  last(count: number): KeptReaction[] {
    return this.rows(`SELECT ${COLUMNS} FROM reaction ORDER BY id DESC LIMIT ?`, count)
  }

  /** Return those before a number, for one tag or all tags, newest first. */
  before(id: number, count: number, tag?: string): KeptReaction[] {
    const of = tag === undefined ? '' : 'AND tag = ?'
    const sql = `SELECT ${COLUMNS} FROM reaction WHERE id < ? ${of} ORDER BY id DESC LIMIT ?`
    return this.rows(sql, id, ...(tag === undefined ? [] : [tag]), count)
  }

  one(id: number): KeptReaction | undefined {
    return this.rows(`SELECT ${COLUMNS} FROM reaction WHERE id = ?`, id)[0]
  }

  /** Return those for one tag, newest first. */
  to(tag: string, count: number): KeptReaction[] {
    return this.rows(`SELECT ${COLUMNS} FROM reaction WHERE tag = ? ORDER BY id DESC LIMIT ?`, tag, count)
  }

  /** Return the reactions whose record contains a text, such as a job id, newest first. */
  about(text: string, count: number): KeptReaction[] {
    const sql = `SELECT ${COLUMNS} FROM reaction WHERE instr(record, ?) > 0 ORDER BY id DESC LIMIT ?`
    return this.rows(sql, Buffer.from(text), count)
  }

  /** Return those whose event another reaction caused. */
  causedBy(id: number, count: number): KeptReaction[] {
    const later = this.rows(`SELECT ${COLUMNS} FROM reaction WHERE id > ? ORDER BY id LIMIT ?`, id, count)
    return later.filter(({ record }) => record.get('cause') === id)
  }

  /** Return those after a number, oldest first. */
  after(id: number, count: number): KeptReaction[] {
    return this.rows(`SELECT ${COLUMNS} FROM reaction WHERE id > ? ORDER BY id LIMIT ?`, id, count)
  }

  /** Return those that were unfinished at their last change. */
  open(): KeptReaction[] {
    return this.rows(`SELECT ${COLUMNS} FROM reaction WHERE is_open = ? ORDER BY id`, 1)
  }

  close(): void {
    try {
      this.flush()
    } finally {
      this.db.close()
    }
  }

  private rows(sql: string, ...values: Array<number | string | Buffer>): KeptReaction[] {
    this.flush()
    return (this.db.prepare(sql).all(...values) as Row[]).map(({ id, at, mark, record }) => ({
      id,
      at,
      ...(mark !== null && { mark }),
      record: unpackDict(record),
    }))
  }
}
