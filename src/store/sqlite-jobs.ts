// Jobs in an embedded database, which several processes may read while the master writes. Returns that come in the same
// moment are written in one transaction, because the disk costs by the transaction and not by the row.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'libsql'
import { type Dict, decodeMsgpack, encodeMsgpack, isDict, str, type Value } from '../data/mod.ts'
import type { JobRecord, JobReturn, JobStore, MinionProgress } from './jobs.ts'

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS jobs (jid TEXT PRIMARY KEY, load BLOB NOT NULL, made REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS targets (
    jid TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, PRIMARY KEY (jid, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS returns (
    jid TEXT NOT NULL, id TEXT NOT NULL, fun TEXT NOT NULL, data BLOB NOT NULL, came REAL NOT NULL,
    PRIMARY KEY (jid, id)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS returns_by_fun ON returns (fun, id, came);
  CREATE INDEX IF NOT EXISTS jobs_by_age ON jobs (made);
`

interface Waiting {
  ret: JobReturn
  done(isNew: boolean): void
  fail(error: unknown): void
}

const pack = (value: Dict): Buffer => Buffer.from(encodeMsgpack(value, 'bus'))

function unpack(bytes: unknown): Dict {
  const value = decodeMsgpack(bytes as Uint8Array, { dialect: 'bus' })
  return isDict(value) ? value : new Map()
}

type Row = Record<string, unknown>

class SqliteJobs implements JobStore {
  private readonly db: Database.Database
  private readonly statements = new Map<string, Database.Statement>()
  private waiting: Waiting[] = []

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    this.db = new Database(file)
    this.db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 10000')
    this.db.exec(SCHEMA)
  }

  private sql(text: string): Database.Statement {
    let statement = this.statements.get(text)
    if (!statement) {
      statement = this.db.prepare(text)
      this.statements.set(text, statement)
    }
    return statement
  }

  private transaction(work: () => void): void {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      work()
      this.db.exec('COMMIT')
    } catch (error) {
      this.db.exec('ROLLBACK')
      throw error
    }
  }

  saveJob({ jid, load, minions }: JobRecord): void {
    this.transaction(() => {
      this.sql('INSERT INTO jobs VALUES (?, ?, ?) ON CONFLICT (jid) DO NOTHING').run(jid, pack(load), Date.now() / 1000)
      const target = this.sql("INSERT INTO targets VALUES (?, ?, 'published', NULL) ON CONFLICT DO NOTHING")
      for (const id of minions) target.run(jid, id)
    })
  }

  saveReturn(ret: JobReturn): Promise<boolean> {
    return new Promise((done, fail) => {
      if (this.waiting.length === 0) setImmediate(() => this.commit())
      this.waiting.push({ ret, done, fail })
    })
  }

  /** Writes all that waits. */
  private commit(): void {
    const { waiting } = this
    this.waiting = []
    if (waiting.length === 0) return
    const isNew: boolean[] = []
    try {
      this.transaction(() => {
        for (const { ret } of waiting) isNew.push(this.insert(ret))
      })
    } catch (error) {
      for (const { fail } of waiting) fail(error)
      return
    }
    for (const [index, { done }] of waiting.entries()) done(isNew[index]!)
  }

  private insert({ jid, id, data }: JobReturn): boolean {
    const fun = str(data.get('fun') ?? '')
    const insert = this.sql('INSERT INTO returns VALUES (?, ?, ?, ?, ?) ON CONFLICT (jid, id) DO NOTHING')
    return insert.run(jid, id, fun, pack(data), Date.now() / 1000).changes > 0
  }

  note(jid: string, { id, state, reason }: MinionProgress): void {
    this.sql(
      'INSERT INTO targets VALUES (?, ?, ?, ?) ON CONFLICT (jid, id) DO UPDATE SET state = excluded.state, reason = excluded.reason',
    ).run(jid, id, state, reason ?? null)
  }

  job(jid: string): JobRecord | undefined {
    const row = this.sql('SELECT load FROM jobs WHERE jid = ?').get(jid) as Row | undefined
    if (!row) return undefined
    const minions = this.sql('SELECT id FROM targets WHERE jid = ? ORDER BY id').all(jid) as Row[]
    return { jid, load: unpack(row['load']), minions: minions.map(({ id }) => String(id)) }
  }

  returns(jid: string): Map<string, Dict> {
    const rows = this.sql('SELECT id, data FROM returns WHERE jid = ? ORDER BY id').all(jid) as Row[]
    return new Map(rows.map(({ id, data }) => [String(id), unpack(data)]))
  }

  progress(jid: string): MinionProgress[] {
    const rows = this.sql(
      `SELECT t.id AS id, CASE WHEN r.id IS NULL THEN t.state ELSE 'returned' END AS state, t.reason AS reason
       FROM targets t LEFT JOIN returns r ON r.jid = t.jid AND r.id = t.id WHERE t.jid = ? ORDER BY t.id`,
    ).all(jid) as Row[]
    return rows.map(({ id, state, reason }) => ({
      id: String(id),
      state: state as MinionProgress['state'],
      ...(reason !== null && { reason: String(reason) }),
    }))
  }

  jobs(limit = -1): Map<string, Dict> {
    const rows = this.sql('SELECT jid, load FROM jobs ORDER BY jid DESC LIMIT ?').all(limit) as Row[]
    return new Map(rows.reverse().map(({ jid, load }) => [String(jid), unpack(load)]))
  }

  lastReturns(fun: string): Map<string, Dict> {
    const rows = this.sql('SELECT id, data, MAX(came) FROM returns WHERE fun = ? GROUP BY id').all(fun) as Row[]
    return new Map(rows.map(({ id, data }) => [String(id), unpack(data)]))
  }

  minions(): Value[] {
    return (this.sql('SELECT DISTINCT id FROM returns ORDER BY id').all() as Row[]).map(({ id }) => String(id))
  }

  prune(olderThanSeconds: number): number {
    const before = Date.now() / 1000 - olderThanSeconds
    let count = 0
    this.transaction(() => {
      const old = (this.sql('SELECT jid FROM jobs WHERE made < ?').all(before) as Row[]).map(({ jid }) => String(jid))
      for (const jid of old) {
        for (const table of ['returns', 'targets', 'jobs']) this.sql(`DELETE FROM ${table} WHERE jid = ?`).run(jid)
      }
      count = old.length
    })
    return count
  }

  close(): void {
    this.commit()
    this.db.close()
  }
}

export function openJobStore(file: string): JobStore {
  return new SqliteJobs(file)
}
