// Jobs in an embedded database, which several processes may read while the master writes. Returns that come in the same
// moment are written in one transaction, because the disk costs by the transaction and not by the row.
import { briefStr, type Dict, isList, str, type Value } from '../data/mod.ts'
import { type Database, openDatabase, pack, unpackDict, unpackValue } from './database.ts'
import { JobLedger, LEDGER_SCHEMA, LEDGER_TABLES } from './job-ledger.ts'
import { JobLoads } from './job-loads.ts'
import type { JobRange, JobRecord, JobReturn, JobStore, MinionProgress } from './jobs.ts'
import { type PackedLoads, packedLoads } from './packed-loads.ts'
import type { Schema } from './schema.ts'
import type { Statement } from './sql.ts'
import type { StorageUse } from './storage-watch.ts'

// The targeted ids are one packed column next to the load: a row for each id would cost as much as the returns themselves.
// Returns are stored in the order of their arrival, not by minion id, so that a new row never moves large rows.
const TABLES = `
  CREATE TABLE IF NOT EXISTS job (
    jid TEXT PRIMARY KEY, fun TEXT NOT NULL, load BLOB NOT NULL, minions BLOB NOT NULL, made REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS note (
    jid TEXT NOT NULL, id TEXT NOT NULL, state TEXT NOT NULL, reason TEXT, PRIMARY KEY (jid, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ret (
    jid TEXT NOT NULL, id TEXT NOT NULL, data BLOB NOT NULL, came REAL NOT NULL, PRIMARY KEY (jid, id));
  CREATE TABLE IF NOT EXISTS foreign_job (jid TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS job_by_fun ON job (fun);
  CREATE INDEX IF NOT EXISTS job_by_age ON job (made);
  ${LEDGER_SCHEMA}
`

/** The steps of this database. */
export const JOBS_SCHEMA: Schema = { name: 'jobs', migrations: [{ version: '1.0', up: TABLES, down: '' }] }

const GATHER_MS = 4

interface Waiting {
  ret: JobReturn
  done(isNew: boolean): void
  fail(error: unknown): void
}

/** The event of a return is stored as it was fired; its time stamp is not part of the return. */
function unpackReturn(bytes: unknown): Dict {
  const value = unpackDict(bytes)
  value.delete('_stamp')
  return value
}

function listOf(bytes: unknown): string[] {
  const value = unpackValue(bytes)
  return isList(value) ? value.map(str) : []
}

type Row = Record<string, unknown>

export class SqliteJobs implements JobStore {
  readonly ledger: JobLedger
  private readonly db: Database
  private readonly statements = new Map<string, Statement>()
  private readonly loads = new JobLoads((text) => this.sql(text))
  private waiting: Waiting[] = []
  /** When returns were last written. */
  private committed = Number.NEGATIVE_INFINITY

  constructor(file: string, use?: StorageUse) {
    this.db = openDatabase(file, JOBS_SCHEMA, use)
    this.ledger = new JobLedger(this.db, (text) => this.sql(text))
    if (!this.db.wasCut) return
    const [newest] = this.jobs(1).keys()
    use?.log?.('error', `Jobs and returns after ${newest ? `job ${newest}` : 'the first'} may be missing in ${file}`)
  }

  private sql(text: string): Statement {
    let statement = this.statements.get(text)
    if (!statement) {
      statement = this.db.prepare(text)
      this.statements.set(text, statement)
    }
    return statement
  }

  saveJob({ jid, load, minions, isForeign = false }: JobRecord): void {
    const known = this.minionsOf(jid)
    if (known === undefined) {
      if (isForeign) this.sql('INSERT OR IGNORE INTO foreign_job VALUES (?)').run(jid)
    } else if (!isForeign && this.sql('DELETE FROM foreign_job WHERE jid = ?').run(jid).changes > 0) {
      return this.db.transaction(() => {
        this.forget(jid)
        this.saveNewJob({ jid, load, minions })
      })
    }
    const all = known ? [...new Set([...known, ...minions])] : minions
    this.db.transaction(() => this.saveNewJob({ jid, load, minions: all }))
  }

  private forget(jid: string): void {
    this.loads.forget(jid)
    for (const table of ['ret', 'note', 'job', 'foreign_job', ...LEDGER_TABLES])
      this.sql(`DELETE FROM ${table} WHERE jid = ?`).run(jid)
  }

  private saveNewJob({ jid, load, minions }: JobRecord): void {
    this.sql('INSERT INTO job VALUES (?, ?, ?, ?, ?) ON CONFLICT (jid) DO UPDATE SET minions = excluded.minions').run(
      jid,
      briefStr(load.get('fun') ?? ''),
      pack(load),
      pack(minions),
      Date.now() / 1000,
    )
    this.ledger.noteJob({ jid, load, minions })
  }

  /** Return the targeted minions; undefined if the job does not exist. */
  private minionsOf(jid: string): string[] | undefined {
    const row = this.sql('SELECT minions FROM job WHERE jid = ?').get(jid) as Row | undefined
    return row && listOf(row['minions'])
  }

  saveReturn(ret: JobReturn): Promise<boolean> {
    return new Promise((done, fail) => {
      if (this.waiting.length === 0) this.commitSoon()
      this.waiting.push({ ret, done, fail })
    })
  }

  /** Commit a single return at once, and frequent ones together after some milliseconds. */
  private commitSoon(): void {
    if (performance.now() - this.committed > GATHER_MS) setImmediate(() => this.commit())
    else setTimeout(() => this.commit(), GATHER_MS)
  }

  /** Writes all that waits. */
  private commit(): void {
    const { waiting } = this
    this.waiting = []
    if (waiting.length === 0) return
    this.committed = performance.now()
    const isNew: boolean[] = []
    try {
      this.db.transaction(() => {
        for (const { ret } of waiting) isNew.push(this.insert(ret))
        this.ledger.noteReturns(waiting.filter((_, index) => isNew[index]).map(({ ret }) => ret))
      })
    } catch (error) {
      for (const { fail } of waiting) fail(error)
      return
    }
    for (const [index, { done }] of waiting.entries()) done(isNew[index]!)
  }

  private insert({ jid, id, data, packed, job }: JobReturn): boolean {
    if (job) this.saveNewJob(job)
    const insert = this.sql('INSERT INTO ret VALUES (?, ?, ?, ?) ON CONFLICT (jid, id) DO NOTHING')
    return (
      insert.run(
        jid,
        id,
        packed ? Buffer.from(packed.buffer, packed.byteOffset, packed.length) : pack(data),
        Date.now() / 1000,
      ).changes > 0
    )
  }

  note(jid: string, { id, state, reason }: MinionProgress): void {
    this.sql(
      'INSERT INTO note VALUES (?, ?, ?, ?) ON CONFLICT (jid, id) DO UPDATE SET state = excluded.state, reason = excluded.reason',
    ).run(jid, id, state, reason ?? null)
  }

  /** Write the waiting returns of a job, so that a reader of the job sees every return that was saved before. */
  private settle(jid: string): void {
    if (this.waiting.some(({ ret }) => ret.jid === jid)) this.commit()
  }

  job(jid: string): JobRecord | undefined {
    this.settle(jid)
    const row = this.sql('SELECT load, minions FROM job WHERE jid = ?').get(jid) as Row | undefined
    return row && { jid, load: unpackDict(row['load']), minions: listOf(row['minions']).sort() }
  }

  recent(since: number, limit: number): Array<JobRecord & { made: number }> {
    const rows = this.sql(
      'SELECT job.jid AS jid, load, minions, job.made AS made FROM job JOIN ledger_job l ON l.jid = job.jid WHERE job.made >= ? AND (l.returned < l.total OR l.total = 0) AND NOT EXISTS (SELECT 1 FROM foreign_job f WHERE f.jid = job.jid) ORDER BY job.made DESC LIMIT ?',
    )
    return (rows.all(since, limit) as Row[]).reverse().map(({ jid, load, minions, made }) => ({
      jid: String(jid),
      load: unpackDict(load),
      minions: listOf(minions),
      made: Number(made),
    }))
  }

  returns(jid: string): Map<string, Dict> {
    this.settle(jid)
    const rows = this.sql('SELECT id, data FROM ret WHERE jid = ? ORDER BY id').all(jid) as Row[]
    return new Map(rows.map(({ id, data }) => [String(id), unpackReturn(data)]))
  }

  returnOf(jid: string, id: string): Dict | undefined {
    const row = this.sql('SELECT data FROM ret WHERE jid = ? AND id = ?').get(jid, id) as Row | undefined
    return row && unpackReturn(row['data'])
  }

  notes(jid: string): Map<string, MinionProgress> {
    const rows = this.sql('SELECT id, state, reason FROM note WHERE jid = ?').all(jid) as Row[]
    return new Map(
      rows.map(({ id, state, reason }) => {
        const why = reason === null ? {} : { reason: String(reason) }
        return [String(id), { id: String(id), state: state as MinionProgress['state'], ...why }]
      }),
    )
  }

  progress(jid: string): MinionProgress[] {
    const known = new Map<string, MinionProgress>()
    for (const id of this.minionsOf(jid) ?? []) known.set(id, { id, state: 'published' })
    for (const [id, noted] of this.notes(jid)) known.set(id, noted)
    for (const { id } of this.sql('SELECT id FROM ret WHERE jid = ?').all(jid) as Row[]) {
      const noted = known.get(String(id))
      if (noted) known.set(noted.id, { ...noted, state: 'returned' })
    }
    return [...known.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  jobs(limit = -1): Map<string, Dict> {
    return this.loads.list(limit)
  }

  packedLoads(): PackedLoads | undefined {
    return packedLoads((text) => this.sql(text))
  }

  returnedIds({ from, until, jobs, returns }: JobRange): Array<{ jid: string; ids: string[] }> {
    const sql =
      'SELECT jid FROM job j WHERE jid >= ? AND jid <= ? AND NOT EXISTS (SELECT 1 FROM foreign_job f WHERE f.jid = j.jid) ORDER BY jid LIMIT ?'
    const found: Array<{ jid: string; ids: string[] }> = []
    let left = returns
    for (const { jid } of this.sql(sql).all(from, until, jobs) as Row[]) {
      if (left <= 0) break
      const rows = this.sql('SELECT id FROM ret WHERE jid = ? ORDER BY id').all(String(jid)) as Row[]
      found.push({ jid: String(jid), ids: rows.map(({ id }) => String(id)) })
      left -= rows.length
    }
    return found
  }

  lastReturns(fun: string): Map<string, Dict> {
    const rows = this.sql(
      'SELECT r.id AS id, r.data AS data, MAX(r.came) FROM job j JOIN ret r ON r.jid = j.jid WHERE j.fun = ? GROUP BY r.id',
    ).all(fun) as Row[]
    return new Map(rows.map(({ id, data }) => [String(id), unpackReturn(data)]))
  }

  minions(): Value[] {
    return (this.sql('SELECT DISTINCT id FROM ret ORDER BY id').all() as Row[]).map(({ id }) => String(id))
  }

  prune(olderThanSeconds: number): number {
    const before = Date.now() / 1000 - olderThanSeconds
    let count = 0
    this.db.transaction(() => {
      const old = (this.sql('SELECT jid FROM job WHERE made < ?').all(before) as Row[]).map(({ jid }) => String(jid))
      for (const jid of old) this.forget(jid)
      count = old.length
    })
    return count
  }

  close(): void {
    this.commit()
    this.db.close()
  }
}
