import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { decodeMsgpack, type Value } from '../data/mod.ts'
import { openDatabase } from './database.ts'
import { packedLoads } from './packed-loads.ts'
import { JOBS_SCHEMA, SqliteJobs } from './sqlite-jobs.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-packed-'))
afterAll(() => rmSync(directory, { recursive: true }))

test('the loads of many jobs are read in one piece, whatever bytes they have', () => {
  const file = join(directory, 'jobs.db')
  const jobs = new SqliteJobs(file)
  const loads = ['b "c', 'a', '\u0000é€😀'].map((jid, index): [string, Map<Value, Value>] => [
    `${index}`,
    new Map<Value, Value>([
      ['fun', jid],
      ['arg', [Uint8Array.of(0, 255, 128), 0, -1, 70000, null]],
    ]),
  ])
  for (const [jid, load] of loads.toReversed()) jobs.saveJob({ jid, load, minions: [] })
  expect(jobs.packedLoads()).toBeUndefined()
  jobs.close()
  const db = openDatabase(file, JOBS_SCHEMA)
  const packed = packedLoads((text) => db.prepare(text), 3)!
  expect(packedLoads((text) => db.prepare(text), 4)).toBeUndefined()
  db.close()
  const read = packed.jids.map((jid, index) => {
    const bytes = packed.bytes.subarray(packed.ends[index - 1] ?? 0, packed.ends[index])
    return [jid, decodeMsgpack(bytes, { dialect: 'bus' })]
  })
  expect(read).toEqual(loads)
})
