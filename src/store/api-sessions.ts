// Sessions of the REST API. They are in the store, so that they survive restarts and are shared by processes of the
// API. Only a hash of a session's id is stored, so that read access to the file gives no access to the API. In a
// cluster all masters share the sessions.
import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from './database.ts'
import type { Schema } from './schema.ts'
import { type ApiSession, sessionKey as keyOf, SESSION_IDLE, type SharedSessions } from './shared-sessions.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS session (
    key TEXT PRIMARY KEY, token TEXT NOT NULL, user TEXT NOT NULL, eauth TEXT NOT NULL, used REAL NOT NULL,
    expires REAL NOT NULL) WITHOUT ROWID;
  DROP TABLE IF EXISTS answer;
  CREATE TABLE IF NOT EXISTS kept_answer (
    key TEXT PRIMARY KEY, owner TEXT NOT NULL, request TEXT NOT NULL, status INTEGER, type TEXT, body BLOB,
    size INTEGER NOT NULL DEFAULT 0, at REAL NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS kept_answer_owner ON kept_answer (owner, at, size);
`

/** The steps of this database. */
export const API_SCHEMA: Schema = { name: 'api', migrations: [{ version: '1.0', up: TABLES, down: '' }] }

/** The answer that a request with an idempotency key got. */
export interface KeptAnswer {
  status: number
  type: string
  body: string
}

/** The result of claiming an idempotency key. */
export type Claimed = 'new' | 'running' | 'other' | KeptAnswer

type Row = Record<string, unknown>

/** The time of the last use is written at most that often. */
const NOTE_USE = 60

/** Answers are kept for a day. */
export const ANSWER_SECONDS = 86_400

/** The answers of one owner that are kept, and their bytes; the oldest make room. */
const MOST_ANSWERS = 10_000
const MOST_ANSWER_BYTES = 64 << 20

export class ApiSessions {
  /** When a session was last ended here, on the clock of `performance`. */
  endedAt = Number.NEGATIVE_INFINITY
  private readonly db: Database
  private readonly endListeners: Array<() => void> = []
  private readonly forgetListeners: Array<(keys: string[]) => void> = []
  private readonly now: () => number
  private readonly shared: SharedSessions | undefined

  /** `shared` has the sessions of a cluster; answers are kept in the file always. */
  constructor(file: string, now: () => number = () => Date.now() / 1000, shared?: SharedSessions) {
    this.db = openDatabase(file, API_SCHEMA)
    this.now = now
    this.shared = shared
  }

  /** Make a session and return its id: forty hexadecimal digits, as in Salt. */
  async make(session: ApiSession): Promise<string> {
    const id = randomBytes(20).toString('hex')
    if (this.shared) await this.shared.make(id, session)
    else this.insert(id, session)
    return id
  }

  private insert(id: string, { token, user, eauth, expires }: ApiSession): void {
    this.db
      .prepare('INSERT INTO session (key, token, user, eauth, used, expires) VALUES (?, ?, ?, ?, ?, ?)')
      .run(keyOf(id), token, user, eauth, this.now(), expires)
  }

  /** Return the session with an id; undefined if it does not exist or is over. */
  find(id: string): ApiSession | undefined {
    if (this.shared) return this.shared.find(id)
    const key = keyOf(id)
    const row = this.db.prepare('SELECT token, user, eauth, used, expires FROM session WHERE key = ?').get(key) as
      | Row
      | undefined
    if (!row) return undefined
    const [now, used, expires] = [this.now(), Number(row['used']), Number(row['expires'])]
    if (now > expires || now > used + SESSION_IDLE) {
      this.remove(id)
      return undefined
    }
    if (now > used + NOTE_USE) this.db.prepare('UPDATE session SET used = ? WHERE key = ?').run(now, key)
    return { token: String(row['token']), user: String(row['user']), eauth: String(row['eauth']), expires }
  }

  async end(id: string): Promise<void> {
    await this.shared?.end(id)
    this.remove(id)
  }

  private remove(id: string): void {
    this.db.prepare('DELETE FROM session WHERE key = ?').run(keyOf(id))
    this.endedAt = performance.now()
    for (const told of this.endListeners) told()
  }

  /** Listen for ended sessions. */
  whenEnded(told: () => void): void {
    this.endListeners.push(told)
  }

  /**
   * Claim an idempotency key of an owner for a request, which is identified by its digest. Return `new` if the key is
   * unused, the answer if the same request got one, `running` while it runs, and `other` if the key belongs to another
   * request.
   */
  claim(owner: string, name: string, request: string): Claimed {
    const key = keyOf(`${owner}\0${name}`)
    const { changes } = this.db
      .prepare('INSERT OR IGNORE INTO kept_answer (key, owner, request, at) VALUES (?, ?, ?, ?)')
      .run(key, keyOf(owner), request, this.now()) as { changes: number }
    if (changes > 0) return 'new'
    const row = this.db.prepare('SELECT request, status, type, body FROM kept_answer WHERE key = ?').get(key) as Row
    if (row['request'] !== request) return 'other'
    if (row['status'] === null) return 'running'
    return { status: Number(row['status']), type: String(row['type']), body: String(row['body']) }
  }

  /** Keep the answer to a request that claimed a key. */
  keep(owner: string, name: string, { status, type, body }: KeptAnswer): void {
    this.db
      .prepare('UPDATE kept_answer SET status = ?, type = ?, body = ?, size = ? WHERE key = ?')
      .run(status, type, body, body.length, keyOf(`${owner}\0${name}`))
    this.makeRoom(keyOf(owner))
  }

  /** Forget the oldest answers of an owner, a tenth at a time, until the others fit. */
  private makeRoom(owner: string): void {
    const counting = this.db.prepare('SELECT count(*) AS count, total(size) AS bytes FROM kept_answer WHERE owner = ?')
    for (;;) {
      const { count, bytes } = counting.get(owner) as Row
      if (Number(count) <= MOST_ANSWERS && Number(bytes) <= MOST_ANSWER_BYTES) return
      const oldest = 'SELECT key FROM kept_answer WHERE owner = ? AND status IS NOT NULL ORDER BY at LIMIT ?'
      // the others are being worked on
      if (!this.forget(`key IN (${oldest})`, owner, Math.ceil(Number(count) / 10))) return
    }
  }

  /** Hear of the keys, as they are stored, whose answers are forgotten. */
  whenForgotten(told: (keys: string[]) => void): void {
    this.forgetListeners.push(told)
  }

  /** Forget answers; return whether there were any. */
  private forget(which: string, ...values: Array<string | number>): boolean {
    const rows = this.db.prepare(`DELETE FROM kept_answer WHERE ${which} RETURNING key`).all(...values) as Row[]
    const keys = rows.map(({ key }) => String(key))
    for (const told of this.forgetListeners) told(keys)
    return keys.length > 0
  }

  /** Give a key back, because its request failed before it did anything. Return whether it had no answer. */
  release(owner: string, name: string): boolean {
    const { changes } = this.db
      .prepare('DELETE FROM kept_answer WHERE key = ? AND status IS NULL')
      .run(keyOf(`${owner}\0${name}`)) as { changes: number }
    return changes > 0
  }

  /** Return the number of sessions. */
  count(): number {
    if (this.shared) return this.shared.count()
    const row = this.db.prepare('SELECT count(*) AS count FROM session WHERE expires >= ?').get(this.now()) as Row
    return Number(row['count'])
  }

  /** Remove expired sessions. */
  prune(): void {
    const now = this.now()
    this.shared?.prune()
    this.db.prepare('DELETE FROM session WHERE expires < ? OR used < ?').run(now, now - SESSION_IDLE)
    this.forget('at < ?', now - ANSWER_SECONDS)
  }

  close(): void {
    this.db.close()
  }
}
