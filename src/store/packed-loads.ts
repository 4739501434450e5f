// The stored loads of many jobs in one piece: a row for each of them would cost more than reading them.
import type { Statement } from './sql.ts'

export interface PackedLoads {
  /** In order. */
  jids: readonly string[]
  /** The loads of the jobs, one behind the other. */
  bytes: Buffer
  /** The end of each load. */
  ends: readonly number[]
}

/** Fewer jobs are read as rows, and kept. */
const MANY = 20_000
/** Bytes that are read in one piece. */
const MOST_BYTES = 1 << 28

// text and bytes are stored alike, and only text can be joined
const JOINED = `SELECT json_group_array(jid) AS jids, json_group_array(length(load)) AS sizes,
  CAST(group_concat(CAST(load AS TEXT), '') AS BLOB) AS bytes FROM (SELECT jid, load FROM job ORDER BY jid)`

/** Return the loads of all jobs; undefined if they are few, or too large for one piece. */
export function packedLoads(sql: (text: string) => Statement, many: number = MANY): PackedLoads | undefined {
  const { jobs } = sql('SELECT count(*) AS jobs FROM job').get() as { jobs: number }
  if (jobs < many) return undefined
  const { size } = sql('SELECT sum(length(load)) AS size FROM job').get() as { size: number | null }
  if (size === null || size > MOST_BYTES) return undefined
  const row = sql(JOINED).get() as { jids: string; sizes: string; bytes: Uint8Array }
  const bytes = Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.byteLength)
  let end = 0
  const ends = (JSON.parse(row.sizes) as number[]).map((length) => {
    end += length
    return end
  })
  return end === bytes.length ? { jids: JSON.parse(row.jids) as string[], bytes, ends } : undefined
}
