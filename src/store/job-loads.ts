// The loads of jobs for those that list jobs again and again: a load does not change, so it is read and decoded once. What is kept is
// bounded, and is only ever a part of what the database has.
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

export class JobLoads {
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
    const rows = (this.sql('SELECT jid, made FROM job ORDER BY jid DESC LIMIT ?').all(limit) as JobRow[]).reverse()
    const first = rows.findIndex(({ jid, made }) => this.kept.get(jid)?.made !== made)
    // as a rule the newest jobs are those that are not kept yet
    const read = first < 0 ? new Map<string, Dict>() : this.read(rows[first]!.jid)
    const all = new Map(rows.map(({ jid }) => [jid, read.get(jid) ?? this.kept.get(jid)?.load ?? new Map()]))
    if (limit < 0 && this.kept.size > 0) for (const jid of this.kept.keys()) if (!all.has(jid)) this.forget(jid)
    return all
  }

  forget(jid: string): void {
    this.bytes -= this.kept.get(jid)?.bytes ?? 0
    this.kept.delete(jid)
  }

  /** Read the jobs from a number on, and keep what there is room for. */
  private read(from: string): Map<string, Dict> {
    const loads = new Map<string, Dict>()
    for (const { jid, made, load: packed } of this.sql('SELECT jid, made, load FROM job WHERE jid >= ?').all(
      from,
    ) as LoadRow[]) {
      const load = unpackDict(packed)
      loads.set(jid, load)
      this.forget(jid)
      const bytes = packed.byteLength
      if (this.bytes + bytes > this.mostBytes) continue
      this.bytes += bytes
      this.kept.set(jid, { made, bytes, load })
    }
    return loads
  }
}
