// Orchestrations step by step: the request, the started steps, and their results. A run that a crash or a failed step
// ended can be resumed from here, without repeating successful steps.
import { isRunning, processMark } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type Database, openDatabase, pack, unpackDict } from './database.ts'
import type { Schema } from './schema.ts'

const TABLES = `
  CREATE TABLE IF NOT EXISTS run (
    jid TEXT PRIMARY KEY, at REAL NOT NULL, state TEXT NOT NULL, pid TEXT NOT NULL, asked BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS step (
    jid TEXT NOT NULL, tag TEXT NOT NULL, number INTEGER NOT NULL, at REAL NOT NULL, result BLOB,
    PRIMARY KEY (jid, tag)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS step_place (
    jid TEXT NOT NULL, tag TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY (jid, tag)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS step_job (
    job TEXT PRIMARY KEY, jid TEXT NOT NULL, tag TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS step_job_by_step ON step_job (jid, tag);
  CREATE TABLE IF NOT EXISTS run_end (jid TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS step_end (
    jid TEXT NOT NULL, tag TEXT NOT NULL, at REAL NOT NULL, is_failed INTEGER NOT NULL, PRIMARY KEY (jid, tag)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS plan (
    jid TEXT NOT NULL, number INTEGER NOT NULL, tag TEXT NOT NULL, place TEXT, requires TEXT NOT NULL,
    PRIMARY KEY (jid, number)) WITHOUT ROWID;
`

/** The versions of the database's schema. */
export const ORCHESTRATIONS_SCHEMA: Schema = {
  name: 'orchestrations',
  migrations: [{ version: '1.0', up: TABLES, down: '' }],
}

/** Prefixes that mark a master of the cluster, alive or lost, in place of the process that drives a run. */
const OF_MASTER = '@'
const OF_LOST_MASTER = '!'

/** The tables with rows of runs. */
const OF_RUNS = ['step', 'step_place', 'step_job', 'run_end', 'step_end', 'plan'] as const

/** Older runs are removed. */
const KEPT_SECONDS = 30 * 86_400

export type RunState = 'running' | 'succeeded' | 'failed' | 'interrupted'

export interface OrchestrationRun {
  jid: string
  /** Seconds since 1970. */
  at: number
  state: RunState
  asked: Dict
  /** When it ended; undefined while it runs, and for runs of earlier versions. */
  ended?: number
}

/** A step in the plan of a run. */
export interface PlannedStep {
  tag: string
  place?: string
  /** The tags of the steps that must have run before it. */
  requires: string[]
}

export interface StepCounts {
  total: number
  done: number
  failed: number
}

export interface OrchestrationStep {
  tag: string
  at: number
  /** The file and line it is written in, where known. */
  place?: string
  /** The jobs and calls that it made so far. */
  jobs: string[]
  /** When it ended; undefined for steps of earlier versions. */
  ended?: number
  /** Undefined for a step that began and did not end. */
  result?: Dict
}

type Row = Record<string, unknown>

const RUNS = 'SELECT run.*, run_end.at AS ended FROM run LEFT JOIN run_end USING (jid)'

export class OrchestrationStore {
  private readonly db: Database

  constructor(file: string) {
    this.db = openDatabase(file, ORCHESTRATIONS_SCHEMA)
  }

  /** Begin or resume a run, which belongs to this process or to a master of the cluster. */
  begin(jid: string, asked: Dict, master?: string): void {
    const before = now() - KEPT_SECONDS
    for (const table of OF_RUNS) {
      this.db.prepare(`DELETE FROM ${table} WHERE jid IN (SELECT jid FROM run WHERE at < ?)`).run(before)
    }
    this.db.prepare('DELETE FROM run WHERE at < ?').run(before)
    // a run that is resumed has a new plan and a new end
    for (const table of ['run_end', 'plan']) this.db.prepare(`DELETE FROM ${table} WHERE jid = ?`).run(jid)
    const sql = "INSERT OR REPLACE INTO run (jid, at, state, pid, asked) VALUES (?, ?, 'running', ?, ?)"
    const driver = master === undefined ? processMark(process.pid) : `${OF_MASTER}${master}`
    this.db.prepare(sql).run(jid, now(), driver, pack(asked))
  }

  /** Whether this process drives a run. */
  isOwn(jid: string): boolean {
    return this.driverOf(jid) === processMark(process.pid)
  }

  /** The master that drives or drove a run: undefined for an unknown run, empty for a run of this machine. */
  masterOf(jid: string): string | undefined {
    const driver = this.driverOf(jid)
    return driver === undefined || isOfMaster(driver) ? driver?.slice(1) : ''
  }

  private driverOf(jid: string): string | undefined {
    const row = this.db.prepare('SELECT pid FROM run WHERE jid = ?').get(jid) as Row | undefined
    return row && String(row['pid'])
  }

  /** Record which masters are lost: their runs are interrupted. Return the runs of ended processes of this machine. */
  follow(isLost: (master: string) => boolean): string[] {
    const rows = this.db.prepare("SELECT jid, pid FROM run WHERE state = 'running'").all() as Row[]
    const ended: string[] = []
    for (const { jid, pid } of rows) {
      const driver = String(pid)
      if (!isOfMaster(driver)) {
        if (!isRunning(driver)) ended.push(String(jid))
        continue
      }
      const wanted = `${isLost(driver.slice(1)) ? OF_LOST_MASTER : OF_MASTER}${driver.slice(1)}`
      if (wanted !== driver) this.db.prepare('UPDATE run SET pid = ? WHERE jid = ?').run(wanted, String(jid))
    }
    return ended
  }

  end(jid: string, state: RunState): void {
    this.db.prepare('UPDATE run SET state = ? WHERE jid = ?').run(state, jid)
    this.db.prepare('INSERT OR REPLACE INTO run_end (jid, at) VALUES (?, ?)').run(jid, now())
  }

  /**
   * Store the steps that a run is going to make, after the known ones. A known step is not stored again: a master that
   * was killed reads records of the cluster's log twice.
   */
  plan(jid: string, planned: readonly PlannedStep[]): void {
    const before = this.planOf(jid)
    const known = new Set(before.map(({ tag }) => tag))
    const steps = planned.filter(({ tag }) => !known.has(tag))
    const put = this.db.prepare('INSERT INTO plan (jid, number, tag, place, requires) VALUES (?, ?, ?, ?, ?)')
    this.db.transaction(() => {
      for (const [index, { tag, place, requires }] of steps.entries()) {
        put.run(jid, before.length + index, tag, place ?? null, JSON.stringify(requires))
      }
    })
  }

  /** The planned steps of a run in their order; none for runs of earlier versions. */
  planOf(jid: string): PlannedStep[] {
    const rows = this.db
      .prepare('SELECT tag, place, requires FROM plan WHERE jid = ? ORDER BY number')
      .all(jid) as Row[]
    return rows.map(({ tag, place, requires }) => ({
      tag: String(tag),
      ...(place !== null && { place: String(place) }),
      requires: JSON.parse(String(requires)) as string[],
    }))
  }

  /** Return how many steps a run has, and their results. */
  counts(jid: string): StepCounts {
    const sql = `SELECT
      (SELECT count(*) FROM plan WHERE jid = ?1) AS planned,
      (SELECT count(*) FROM step WHERE jid = ?1) AS begun,
      (SELECT count(*) FROM step WHERE jid = ?1 AND result IS NOT NULL) AS ended,
      (SELECT count(*) FROM step_end WHERE jid = ?1 AND is_failed = 1) AS failed`
    const row = this.db.prepare(sql).get(jid) as Row
    const failed = Number(row['failed'])
    return {
      total: Math.max(Number(row['planned']), Number(row['begun'])),
      done: Number(row['ended']) - failed,
      failed,
    }
  }

  beginStep(jid: string, tag: string, place?: string): void {
    const count = this.db.prepare('SELECT count(*) AS count FROM step WHERE jid = ?').get(jid) as Row
    const sql = 'INSERT OR REPLACE INTO step (jid, tag, number, at, result) VALUES (?, ?, ?, ?, NULL)'
    this.db.prepare(sql).run(jid, tag, Number(count['count']), now())
    this.db.prepare('DELETE FROM step_end WHERE jid = ? AND tag = ?').run(jid, tag)
    if (place === undefined) return
    this.db.prepare('INSERT OR REPLACE INTO step_place (jid, tag, place) VALUES (?, ?, ?)').run(jid, tag, place)
  }

  /** Record that a step publishes a job or calls a function of the master. */
  noteJob(jid: string, tag: string, job: string): void {
    this.db.prepare('INSERT OR REPLACE INTO step_job (job, jid, tag) VALUES (?, ?, ?)').run(job, jid, tag)
  }

  /** The step that made a job. */
  stepOf(job: string): { jid: string; tag: string } | undefined {
    const row = this.db.prepare('SELECT jid, tag FROM step_job WHERE job = ?').get(job) as Row | undefined
    return row && { jid: String(row['jid']), tag: String(row['tag']) }
  }

  endStep(jid: string, tag: string, result: Dict): void {
    const isFailed = result.get('result') === false ? 1 : 0
    const sql = 'INSERT OR REPLACE INTO step_end (jid, tag, at, is_failed) VALUES (?, ?, ?, ?)'
    this.db.transaction(() => {
      this.db.prepare('UPDATE step SET result = ? WHERE jid = ? AND tag = ?').run(pack(result), jid, tag)
      this.db.prepare(sql).run(jid, tag, now(), isFailed)
    })
  }

  steps(jid: string): OrchestrationStep[] {
    const sql = `SELECT step.*, place, step_end.at AS ended FROM step LEFT JOIN step_place USING (jid, tag)
      LEFT JOIN step_end USING (jid, tag) WHERE step.jid = ? ORDER BY number`
    const rows = this.db.prepare(sql).all(jid) as Row[]
    const made = this.db.prepare('SELECT job, tag FROM step_job WHERE jid = ? ORDER BY job').all(jid) as Row[]
    return rows.map(({ tag, at, result, place, ended }) => {
      const jobs = made.filter((job) => job['tag'] === tag).map(({ job }) => String(job))
      const known = { ...(place !== null && { place: String(place) }), ...(ended !== null && { ended: Number(ended) }) }
      const step = { tag: String(tag), at: Number(at), jobs, ...known }
      return result === null ? step : { ...step, result: unpackDict(result) }
    })
  }

  runs(count: number): OrchestrationRun[] {
    return (this.db.prepare(`${RUNS} ORDER BY run.at DESC LIMIT ?`).all(count) as Row[]).map(runOf)
  }

  /** Runs before a job id, newest first. */
  runsBefore(jid: string, count: number): OrchestrationRun[] {
    const rows = this.db.prepare(`${RUNS} WHERE run.jid < ? ORDER BY run.jid DESC LIMIT ?`).all(jid, count) as Row[]
    return rows.map(runOf)
  }

  run(jid: string): OrchestrationRun | undefined {
    const row = this.db.prepare(`${RUNS} WHERE run.jid = ?`).get(jid) as Row | undefined
    return row && runOf(row)
  }

  close(): void {
    this.db.close()
  }
}

/** Return a run; it is interrupted if its process or master has ended. */
function runOf({ jid, at, state, pid, asked, ended }: Row): OrchestrationRun {
  const isGone = state === 'running' && !isDriven(String(pid))
  return {
    jid: String(jid),
    at: Number(at),
    state: isGone ? 'interrupted' : (state as RunState),
    asked: unpackDict(asked),
    ...(ended !== null && { ended: Number(ended) }),
  }
}

const isOfMaster = (driver: string): boolean => driver.startsWith(OF_MASTER) || driver.startsWith(OF_LOST_MASTER)

const isDriven = (driver: string): boolean => (isOfMaster(driver) ? driver.startsWith(OF_MASTER) : isRunning(driver))

const now = (): number => Date.now() / 1000
