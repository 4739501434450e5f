// The ledger of jobs: one narrow row for each job, with counts, and one for each return. Programs page through it without reading
// loads and returns. The rows are written in the transaction that stores the job or the return.
import { setImmediate as nextTick } from 'node:timers/promises'
import { type Dict, isList, str, truthy, type Value } from '../data/mod.ts'
import { unpackDict, unpackValue } from './database.ts'
import type { SqlDatabase, SqlParameter, Statement } from './sql.ts'

export const LEDGER_SCHEMA = `
  CREATE TABLE IF NOT EXISTS ledger_job (
    jid TEXT PRIMARY KEY, made REAL NOT NULL, fun TEXT NOT NULL, user TEXT NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL,
    total INTEGER NOT NULL, returned INTEGER NOT NULL, failed INTEGER NOT NULL, last REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ledger_return (
    jid TEXT NOT NULL, id TEXT NOT NULL, failed INTEGER NOT NULL, came REAL NOT NULL, PRIMARY KEY (jid, id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ledger_eauth (jid TEXT PRIMARY KEY, eauth TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ledger_by_fun ON ledger_job (fun, jid);
  CREATE INDEX IF NOT EXISTS ledger_by_user ON ledger_job (user, jid);
`

/** The tables of the ledger, for removing a job. */
export const LEDGER_TABLES = ['ledger_job', 'ledger_return', 'ledger_eauth'] as const

/** A job as the ledger notes it. */
interface NotedJob {
  jid: string
  load: Dict
  minions: readonly string[]
}

/** A return as the ledger notes it. */
interface NotedReturn {
  jid: string
  id: string
  data: Dict
}

export type JobState = 'running' | 'done' | 'failed'

export interface JobFact {
  jid: string
  /** Seconds since 1970. */
  made: number
  fun: string
  user: string
  target: string
  targetType: string
  /** Number of targeted minions. */
  total: number
  returned: number
  /** Number of failed returns. */
  failed: number
  state: JobState
}

/** A user of this master. */
export interface JobOwner {
  user: string
  /** The system of external authentication that knows the user; undefined for a local user. */
  eauth?: string
}

export interface JobFilter {
  /** A function, or a glob of functions. */
  fun?: string
  user?: string
  /** A target as it was written, or a glob of targets. */
  target?: string
  /** The id of a minion that was targeted or has returned. */
  minion?: string
  /** Seconds since 1970. */
  since?: number
  until?: number
  state?: JobState
  /** Only jobs that this user of this master started. */
  owner?: JobOwner
}

export interface LedgerOutcome {
  id: string
  isFailed: boolean
  /** Seconds since 1970. */
  came: number
}

/** The position of a return in the order of arrival. */
export interface ReturnPlace {
  number: number
  jid: string
  id: string
}

/** Seconds for which jobs with missing returns count as running after their last sign of life. */
const PATIENCE = 3600

/** Rows that are looked at before others get a turn. */
const BLOCK = 5000

const LONGEST_TARGET = 1000

/** The clock of a job may differ from the order of job ids by that much, in seconds. */
const CLOCK_SKEW = 86_400

type Row = Record<string, unknown>

const isGlob = (text: string): boolean => /[*?]/.test(text)

/** A pattern of `*` and `?` as the database reads it, where `[` begins a set. */
const globOf = (text: string): string => text.replaceAll('[', '[[]')

const targetText = (load: Dict): string => {
  const tgt = load.get('tgt') ?? ''
  return (isList(tgt) ? tgt.map(str).join(',') : str(tgt)).slice(0, LONGEST_TARGET)
}

/** Whether a return is a failure: by its exit status, or by the minion's own field. */
/** Answers of targets without minions say so apart, because their return has the form of Salt's. */
const isFailedReturn = (data: Dict): boolean =>
  truthy(data.get('retcode') ?? 0) || data.get('success') === false || data.get('failed') === true

export class JobLedger {
  private readonly db: SqlDatabase
  private readonly sql: (text: string) => Statement
  private readonly now: () => number

  constructor(db: SqlDatabase, sql: (text: string) => Statement, now: () => number = () => Date.now() / 1000) {
    this.db = db
    this.sql = sql
    this.now = now
    this.fill()
  }

  /** Write the rows of jobs and returns from before the ledger existed. */
  private fill(): void {
    const isFilled = this.sql('SELECT 1 FROM ledger_job LIMIT 1').get() !== undefined
    if (isFilled || this.sql('SELECT 1 FROM job LIMIT 1').get() === undefined) return
    this.db.transaction(() => {
      for (const { jid } of this.sql('SELECT jid FROM job').all() as Row[]) {
        const job = this.sql('SELECT load, minions, made FROM job WHERE jid = ?').get(String(jid)) as Row
        const load = unpackDict(job['load'])
        this.noteJob({ jid: String(jid), load, minions: listOf(job['minions']) }, Number(job['made']))
        for (const row of this.sql('SELECT id, data, came FROM ret WHERE jid = ?').all(String(jid)) as Row[]) {
          const ret = { jid: String(jid), id: String(row['id']), data: unpackDict(row['data']) }
          this.noteReturns([ret], Number(row['came']))
        }
      }
    })
  }

  noteJob({ jid, load, minions }: NotedJob, made: number = this.now()): void {
    const insert =
      'INSERT INTO ledger_job VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?) ON CONFLICT (jid) DO UPDATE SET total = excluded.total'
    const [fun, user, kind] = ['fun', 'user', 'tgt_type'].map((name) => str(load.get(name) ?? ''))
    this.sql(insert).run(jid, made, fun!, user!, targetText(load), kind || 'glob', minions.length, made)
  }

  /** Note which system of external authentication knows the user of a job. */
  noteEauth(jid: string, eauth: string): void {
    this.sql('INSERT OR IGNORE INTO ledger_eauth VALUES (?, ?)').run(jid, eauth)
  }

  /** Return the system of external authentication that knows the user of a job; undefined where none was noted. */
  eauthOf(jid: string): string | undefined {
    const row = this.sql('SELECT eauth FROM ledger_eauth WHERE jid = ?').get(jid) as Row | undefined
    return row && String(row['eauth'])
  }

  /** Note returns that are new. */
  noteReturns(returns: readonly NotedReturn[], came: number = this.now()): void {
    const counts = new Map<string, { returned: number; failed: number }>()
    for (const { jid, id, data } of returns) {
      const failed = isFailedReturn(data) ? 1 : 0
      this.sql('INSERT OR IGNORE INTO ledger_return VALUES (?, ?, ?, ?)').run(jid, id, failed, came)
      const count = counts.get(jid) ?? { returned: 0, failed: 0 }
      counts.set(jid, { returned: count.returned + 1, failed: count.failed + failed })
    }
    const update = 'UPDATE ledger_job SET returned = returned + ?, failed = failed + ?, last = ? WHERE jid = ?'
    for (const [jid, { returned, failed }] of counts) this.sql(update).run(returned, failed, came, jid)
  }

  /** Return the data about a job without reading its load. */
  fact(jid: string): JobFact | undefined {
    const row = this.sql('SELECT * FROM ledger_job WHERE jid = ?').get(jid) as Row | undefined
    return row && factOf(row, this.now())
  }

  /**
   * Whether a user started a job. Users of different systems may have the same name. Jobs without a system, such as
   * those of local users, are matched by the name only. A job reported by a syndic belongs to no user of this master.
   */
  isOwn(jid: string, owner: JobOwner): boolean {
    const { text, values } = queryOf('1', [['jid = ?', jid], ...ownerConditions(owner)], '')
    return this.sql(text).get(...values) !== undefined
  }

  /**
   * Return jobs, newest first, from before a job id on. `next` is the id to go on from; it is undefined at the end. Between blocks of
   * rows, other work gets a turn.
   */
  async page(filter: JobFilter, limit: number, before?: string): Promise<{ jobs: JobFact[]; next?: string }> {
    const { minion } = filter
    const { chosen, others } = conditionsOf(filter, this.now())
    const [block, rows] = [blockQuery(chosen), rowsQuery([...chosen, ...others])]
    const jobs: JobFact[] = []
    for (let from = before ?? '~'; ; await nextTick()) {
      const end = this.sql(block.text).get(...block.values, from) as Row | undefined
      const found = this.sql(rows.text).all(...rows.values, from, String(end?.['jid'] ?? ''), limit + 1) as Row[]
      for (const row of found) {
        const fact = factOf(row, this.now())
        if (minion !== undefined && !this.concerns(fact, minion)) continue
        if (jobs.length === limit) return { jobs, next: jobs.at(-1)!.jid }
        jobs.push(fact)
      }
      if (found.length > limit) from = String(found.at(-1)!['jid'])
      else if (!end || Number(end['made']) < (filter.since ?? 0) - CLOCK_SKEW) return { jobs }
      else from = String(end['jid'])
    }
  }

  private concerns({ jid, returned, total }: JobFact, id: string): boolean {
    if (this.sql('SELECT 1 FROM ledger_return WHERE jid = ? AND id = ?').get(jid, id) !== undefined) return true
    if (returned >= total) return false
    const row = this.sql('SELECT minions FROM job WHERE jid = ?').get(jid) as Row | undefined
    return row !== undefined && listOf(row['minions']).includes(id)
  }

  /** Return how minions did a job, sorted by id, after an id. */
  outcomes(jid: string, limit = -1, after = ''): LedgerOutcome[] {
    const rows = this.sql('SELECT * FROM ledger_return WHERE jid = ? AND id > ? ORDER BY id LIMIT ?').all(
      jid,
      after,
      limit,
    )
    return (rows as Row[]).map(outcomeOf)
  }

  outcomeOf(jid: string, id: string): LedgerOutcome | undefined {
    const row = this.sql('SELECT * FROM ledger_return WHERE jid = ? AND id = ?').get(jid, id) as Row | undefined
    return row && outcomeOf(row)
  }

  /** Return a return as it is kept, which is packed. */
  bytesOf(jid: string, id: string): Uint8Array | undefined {
    const row = this.sql('SELECT data FROM ret WHERE jid = ? AND id = ?').get(jid, id) as Row | undefined
    if (!row) return undefined
    const { data } = row
    return data instanceof Uint8Array ? data : new Uint8Array(data as ArrayBuffer)
  }

  /** Return the results of minions in the order of their returns, after the number of a return. */
  arrivals(jid: string, after: number, limit: number): Array<LedgerOutcome & { number: number }> {
    // the plus keeps the database from reading the returns of all later jobs
    const rows = this.sql(
      'SELECT r.rowid AS number, r.id AS id, l.failed AS failed, l.came AS came FROM ret r JOIN ledger_return l ON l.jid = r.jid AND l.id = r.id WHERE r.jid = ? AND +r.rowid > ? ORDER BY r.rowid LIMIT ?',
    )
    return (rows.all(jid, after, limit) as Row[]).map((row) => ({ number: Number(row['number']), ...outcomeOf(row) }))
  }

  /** Return the bytes of a return. */
  sizeOf(jid: string, id: string): number {
    const row = this.sql('SELECT length(data) AS size FROM ret WHERE jid = ? AND id = ?').get(jid, id) as
      | Row
      | undefined
    return Number(row?.['size'] ?? 0)
  }

  /** Return the jobs before a job id, newest first, by id and function. */
  newest(limit: number, before = '~'): Array<{ jid: string; fun: string }> {
    const rows = this.sql('SELECT jid, fun FROM ledger_job WHERE jid < ? ORDER BY jid DESC LIMIT ?').all(before, limit)
    return (rows as Row[]).map(({ jid, fun }) => ({ jid: String(jid), fun: String(fun) }))
  }

  /** The number of the return that came last; 0 without any. */
  get lastReturn(): number {
    return Number((this.sql('SELECT max(rowid) AS last FROM ret').get() as Row)['last'] ?? 0)
  }

  /** Return the number of a minion's return to a job; undefined if there is none. */
  returnNumber(jid: string, id: string): number | undefined {
    const row = this.sql('SELECT rowid AS number FROM ret WHERE jid = ? AND id = ?').get(jid, id) as Row | undefined
    return row && Number(row['number'])
  }

  /** Return the returns after a number, in order of arrival. */
  returnsAfter(number: number, limit: number): ReturnPlace[] {
    const rows = this.sql('SELECT rowid AS number, jid, id FROM ret WHERE rowid > ? ORDER BY rowid LIMIT ?')
    return (rows.all(number, limit) as Row[]).map((row) => ({
      number: Number(row['number']),
      jid: String(row['jid']),
      id: String(row['id']),
    }))
  }

  /** Return the number of jobs that are running. */
  running(): number {
    const sql = 'SELECT count(*) AS count FROM ledger_job WHERE jid > ? AND returned < total AND last > ?'
    const since = this.now() - PATIENCE
    const first = new Date((since - CLOCK_SKEW) * 1000).toISOString().replace(/\D/g, '')
    return Number((this.sql(sql).get(first, since) as Row)['count'])
  }

  count(): number {
    return Number((this.sql('SELECT count(*) AS count FROM ledger_job').get() as Row)['count'])
  }
}

type Condition = [sql: string, ...values: SqlParameter[]]

const isLike = (column: string, text: string): Condition =>
  isGlob(text) ? [`${column} GLOB ?`, globOf(text)] : [`${column} = ?`, text]

const isInState = (state: JobState, since: number): Condition => {
  if (state === 'running') return ['returned < total AND last > ?', since]
  if (state === 'done') return ['returned >= total AND failed = 0']
  return ['(CASE WHEN returned < total THEN last <= ? ELSE failed > 0 END)', since]
}

/** The conditions that a user began a job; the first one has an index. */
const ownerConditions = ({ user, eauth = '' }: JobOwner): [Condition, ...Condition[]] => [
  ['user = ?', user],
  ['NOT EXISTS (SELECT 1 FROM foreign_job WHERE foreign_job.jid = ledger_job.jid)'],
  ['NOT EXISTS (SELECT 1 FROM ledger_eauth e WHERE e.jid = ledger_job.jid AND e.eauth <> ?)', eauth],
]

/** The conditions that choose rows by an index, and the others. */
function conditionsOf(filter: JobFilter, now: number): { chosen: Condition[]; others: Condition[] } {
  const { fun, user, owner, target, minion, since, until, state } = filter
  const chosen: Condition[] = []
  const others: Condition[] = []
  if (fun !== undefined) (isGlob(fun) ? others : chosen).push(isLike('fun', fun))
  if (user !== undefined) chosen.push(['user = ?', user])
  if (owner !== undefined) {
    const [isNamed, ...isTheirs] = ownerConditions(owner)
    chosen.push(isNamed)
    others.push(...isTheirs)
  }
  if (target !== undefined) others.push(isLike('target', target))
  if (since !== undefined) others.push(['made >= ?', since])
  if (until !== undefined) others.push(['made <= ?', until])
  if (state !== undefined) others.push(isInState(state, now - PATIENCE))
  if (minion !== undefined) {
    const hasReturned = 'EXISTS (SELECT 1 FROM ledger_return r WHERE r.jid = ledger_job.jid AND r.id = ?)'
    others.push([`(returned < total OR ${hasReturned})`, minion])
  }
  return { chosen, others }
}

interface Query {
  text: string
  values: SqlParameter[]
}

const queryOf = (select: string, conditions: readonly Condition[], rest: string): Query => ({
  text: `SELECT ${select} FROM ledger_job WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ${rest}`,
  values: conditions.flatMap(([, ...values]) => values),
})

/** The last row of a block; its last value is the job id after the block. */
const blockQuery = (chosen: readonly Condition[]): Query =>
  queryOf('jid, made', [...chosen, ['jid < ?']], `ORDER BY jid DESC LIMIT 1 OFFSET ${BLOCK - 1}`)

/** Rows of a block; the last values are the job ids after the block and at its end, and the limit of rows. */
const rowsQuery = (conditions: readonly Condition[]): Query =>
  queryOf('*', [...conditions, ['jid < ?'], ['jid >= ?']], 'ORDER BY jid DESC LIMIT ?')

function factOf(row: Row, now: number): JobFact {
  const [made, total, returned, failed, last] = ['made', 'total', 'returned', 'failed', 'last'].map((name) =>
    Number(row[name]),
  ) as [number, number, number, number, number]
  const isOpen = returned < total
  const state = isOpen && last > now - PATIENCE ? 'running' : isOpen || failed > 0 ? 'failed' : 'done'
  const [jid, fun, user, target, targetType] = ['jid', 'fun', 'user', 'target', 'kind'].map((name) =>
    String(row[name]),
  ) as [string, string, string, string, string]
  return { jid, made, fun, user, target, targetType, total, returned, failed, state }
}

const outcomeOf = ({ id, failed, came }: Row): LedgerOutcome => ({
  id: String(id),
  isFailed: Number(failed) > 0,
  came: Number(came),
})

function listOf(bytes: unknown): string[] {
  const value: Value = unpackValue(bytes)
  return isList(value) ? value.map(str) : []
}
