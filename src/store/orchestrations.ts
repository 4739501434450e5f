// Orchestrations step by step: what was asked for, which steps began, and how they ended. A run that a crash or a failed step
// ended can be continued from here, without doing again what succeeded.
import { readFileSync } from 'node:fs'
import { isGone } from '../base/mod.ts'
import type { Dict } from '../data/mod.ts'
import { type Database, openDatabase, pack, unpackDict } from './database.ts'

const SCHEMA = `
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
`

/** Older ones make room. */
const KEPT_SECONDS = 30 * 86_400

export type RunState = 'running' | 'succeeded' | 'failed' | 'interrupted'

export interface OrchestrationRun {
  jid: string
  /** Seconds since 1970. */
  at: number
  state: RunState
  asked: Dict
}

export interface OrchestrationStep {
  tag: string
  at: number
  /** The file and line it is written in, where known. */
  place?: string
  /** The jobs and calls that it made so far. */
  jobs: string[]
  /** Undefined for one that began and did not end. */
  result?: Dict
}

type Row = Record<string, unknown>

export class OrchestrationStore {
  private readonly db: Database

  constructor(file: string) {
    this.db = openDatabase(file, SCHEMA)
  }

  begin(jid: string, asked: Dict): void {
    const before = now() - KEPT_SECONDS
    for (const table of ['step', 'step_place', 'step_job']) {
      this.db.prepare(`DELETE FROM ${table} WHERE jid IN (SELECT jid FROM run WHERE at < ?)`).run(before)
    }
    this.db.prepare('DELETE FROM run WHERE at < ?').run(before)
    const sql = "INSERT OR REPLACE INTO run (jid, at, state, pid, asked) VALUES (?, ?, 'running', ?, ?)"
    this.db.prepare(sql).run(jid, now(), thisProcess(), pack(asked))
  }

  end(jid: string, state: RunState): void {
    this.db.prepare('UPDATE run SET state = ? WHERE jid = ?').run(state, jid)
  }

  beginStep(jid: string, tag: string, place?: string): void {
    const count = this.db.prepare('SELECT count(*) AS count FROM step WHERE jid = ?').get(jid) as Row
    const sql = 'INSERT OR REPLACE INTO step (jid, tag, number, at, result) VALUES (?, ?, ?, ?, NULL)'
    this.db.prepare(sql).run(jid, tag, Number(count['count']), now())
    if (place === undefined) return
    this.db.prepare('INSERT OR REPLACE INTO step_place (jid, tag, place) VALUES (?, ?, ?)').run(jid, tag, place)
  }

  /** Notes that a step publishes a job or calls a function of the master. */
  noteJob(jid: string, tag: string, job: string): void {
    this.db.prepare('INSERT OR REPLACE INTO step_job (job, jid, tag) VALUES (?, ?, ?)').run(job, jid, tag)
  }

  /** The step that made a job. */
  stepOf(job: string): { jid: string; tag: string } | undefined {
    const row = this.db.prepare('SELECT jid, tag FROM step_job WHERE job = ?').get(job) as Row | undefined
    return row && { jid: String(row['jid']), tag: String(row['tag']) }
  }

  endStep(jid: string, tag: string, result: Dict): void {
    this.db.prepare('UPDATE step SET result = ? WHERE jid = ? AND tag = ?').run(pack(result), jid, tag)
  }

  steps(jid: string): OrchestrationStep[] {
    const sql =
      'SELECT step.*, place FROM step LEFT JOIN step_place USING (jid, tag) WHERE step.jid = ? ORDER BY number'
    const rows = this.db.prepare(sql).all(jid) as Row[]
    const made = this.db.prepare('SELECT job, tag FROM step_job WHERE jid = ? ORDER BY job').all(jid) as Row[]
    return rows.map(({ tag, at, result, place }) => {
      const jobs = made.filter((job) => job['tag'] === tag).map(({ job }) => String(job))
      const step = { tag: String(tag), at: Number(at), jobs, ...(place !== null && { place: String(place) }) }
      return result === null ? step : { ...step, result: unpackDict(result) }
    })
  }

  runs(count: number): OrchestrationRun[] {
    return (this.db.prepare('SELECT * FROM run ORDER BY at DESC LIMIT ?').all(count) as Row[]).map(runOf)
  }

  /** Runs before a job id, newest first. */
  runsBefore(jid: string, count: number): OrchestrationRun[] {
    return (this.db.prepare('SELECT * FROM run WHERE jid < ? ORDER BY jid DESC LIMIT ?').all(jid, count) as Row[]).map(
      runOf,
    )
  }

  run(jid: string): OrchestrationRun | undefined {
    const row = this.db.prepare('SELECT * FROM run WHERE jid = ?').get(jid) as Row | undefined
    return row && runOf(row)
  }

  close(): void {
    this.db.close()
  }
}

/** A run whose process is gone was interrupted. */
function runOf({ jid, at, state, pid, asked }: Row): OrchestrationRun {
  const isGone = state === 'running' && !isAlive(String(pid))
  return {
    jid: String(jid),
    at: Number(at),
    state: isGone ? 'interrupted' : (state as RunState),
    asked: unpackDict(asked),
  }
}

/** Numbers of processes come again, after a restart of a machine or in a container at once; with its beginning it is one. */
const thisProcess = (): string => `${process.pid}:${beginningOf(process.pid)}`

function isAlive(known: string): boolean {
  const [pid, beginning = ''] = known.split(':')
  return beginningOf(Number(pid)) === beginning
}

/** When a process began, in ticks since the machine did; empty where the system does not tell. */
function beginningOf(pid: number): string {
  if (isGone(pid)) return 'gone'
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // no such file on other systems
    return ''
  }
}

const now = (): number => Date.now() / 1000
