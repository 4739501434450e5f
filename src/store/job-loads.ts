// The decoded loads of jobs, for repeated lists of jobs. The load of a job does not change, so each load is read and
// decoded once. The size of the cached loads is bounded; the database has all loads.
import type { Dict } from '../data/mod.ts'
import { unpackDict } from './database.ts'
import type { Statement } from './sql.ts'

/** Bytes of packed loads that are kept. */
const MOST_BYTES = 4 << 20

interface KeptLoad {
  /** When the job was saved: a job that replaced another one of the same number has another time. */
  made: number
  bytes: number
  load: Dict
}

interface JobRow {
  jid: string
  made: number
}

interface LoadRow extends JobRow {
  load: ArrayBuffer | Uint8Array
}

interface Followed {
  /** All jobs, oldest first. */
  loads: Map<string, Dict>
  /** The time when the newest of them was saved, and the greatest number. */
  made: number
  jid: string
}

export class JobLoads {
  /** All jobs, if there was space for all of them: newer ones are read by their time. */
  private followed: Followed | undefined
  private readonly sql: (text: string) => Statement
  private readonly mostBytes: number
  private readonly kept = new Map<string, KeptLoad>()
  private bytes = 0

  constructor(sql: (text: string) => Statement, mostBytes = MOST_BYTES) {
    this.sql = sql
    this.mostBytes = mostBytes
  }

  /** Return the loads of the last `limit` jobs by job id, oldest first; of all jobs where `limit` is negative. */
  list(limit: number): Map<string, Dict> {
    const followed = limit < 0 ? this.follow() : undefined
    if (followed) return followed
    const rows = (this.sql('SELECT jid, made FROM job ORDER BY jid DESC LIMIT ?').all(limit) as JobRow[]).reverse()
    const first = rows.findIndex(({ jid, made }) => this.kept.get(jid)?.made !== made)
    // usually only the newest jobs are not kept yet
    const read = first < 0 ? new Map<string, Dict>() : this.read(rows[first]!.jid)
    const all = new Map(rows.map(({ jid }) => [jid, read.get(jid) ?? this.kept.get(jid)?.load ?? new Map()]))
    if (limit < 0 && this.kept.size > 0) for (const jid of this.kept.keys()) if (!all.has(jid)) this.forget(jid)
    if (limit < 0 && this.kept.size === all.size && all.size > 0) {
      const made = rows.reduce((newest, row) => Math.max(newest, row.made), 0)
      this.followed = { loads: new Map(all), made, jid: rows.at(-1)!.jid }
    }
    return all
  }

  /** Return all jobs including those since the last list; undefined if there were other changes. */
  private follow(): Map<string, Dict> | undefined {
    const { followed } = this
    this.followed = undefined
    if (!followed) return undefined
    const rows = this.sql('SELECT jid, made, load FROM job WHERE made >= ? ORDER BY jid').all(
      followed.made,
    ) as LoadRow[]
    for (const row of rows) {
      const known = this.kept.get(row.jid)
      if (known?.made === row.made) continue
      if (known || row.jid <= followed.jid || !this.keep(row)) return undefined
      followed.loads.set(row.jid, this.kept.get(row.jid)!.load)
      followed.jid = row.jid
      followed.made = Math.max(followed.made, row.made)
    }
    const { jobs } = this.sql('SELECT count(*) AS jobs FROM job').get() as { jobs: number }
    if (jobs !== followed.loads.size) return undefined
    this.followed = followed
    return new Map(followed.loads)
  }

  forget(jid: string): void {
    if (this.followed?.loads.has(jid)) this.followed = undefined
    this.bytes -= this.kept.get(jid)?.bytes ?? 0
    this.kept.delete(jid)
  }

  /** Read the jobs from a number on, and cache as many as there is space for. */
  private read(from: string): Map<string, Dict> {
    const loads = new Map<string, Dict>()
    for (const row of this.sql('SELECT jid, made, load FROM job WHERE jid >= ?').all(from) as LoadRow[]) {
      this.forget(row.jid)
      this.keep(row)
      loads.set(row.jid, this.kept.get(row.jid)?.load ?? unpackDict(row.load))
    }
    return loads
  }

  /** Cache the load of a job; return whether there was space for it. */
  private keep({ jid, made, load }: LoadRow): boolean {
    const bytes = load.byteLength
    if (this.bytes + bytes > this.mostBytes) return false
    this.bytes += bytes
    this.kept.set(jid, { made, bytes, load: unpackDict(load) })
    return true
  }
}
