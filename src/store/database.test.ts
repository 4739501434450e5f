import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openDatabase } from './database.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-database-'))
afterAll(() => rmSync(directory, { recursive: true }))

const SCHEMA = { name: 'test', migrations: [{ version: '1.0', up: 'CREATE TABLE IF NOT EXISTS t (a)', down: '' }] }

/** A program that locks a file for a while, like one that repairs it after a crash. */
async function heldByAnother(file: string): Promise<void> {
  const script = `
    const db = new (require('libsql'))(${JSON.stringify(file)})
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; INSERT INTO t VALUES (1); COMMIT')
    console.log('held')
    setTimeout(() => db.close(), 700)`
  const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
}

/** Return how many rows another program finds; it then ends. */
function countedByAnother(file: string): number {
  const script = `
    const db = new (require('libsql'))(${JSON.stringify(file)})
    console.log(db.prepare('SELECT count(*) AS n FROM t').get().n)
    db.close()`
  return Number(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }))
}

describe('a database', () => {
  it('is opened without a look-up of the name of every connection', () => {
    const script = `
      import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'database.ts'))}
      const { getReport } = process.report
      process.report.getReport = () => {
        console.log(process.report.excludeNetwork)
        return getReport.call(process.report)
      }
      openDatabase(${JSON.stringify(join(directory, 'report.db'))}, ${JSON.stringify(SCHEMA)}).close()`
    const words = ['--import', 'tsx', '--input-type=module', '-e', script]
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toBe('true\n')
  })

  it('that is open twice stays whole when another program comes and goes', () => {
    const file = join(directory, 'twice.db')
    const db = openDatabase(file, SCHEMA)
    openDatabase(file, SCHEMA).close()
    for (const n of [1, 2, 3]) {
      db.exec(`INSERT INTO t VALUES (${n})`)
      expect(countedByAnother(file)).toBe(n)
    }
    db.close()
  })

  it('is waited for while another program has it for itself', async () => {
    const file = join(directory, 'jobs.db')
    openDatabase(file, SCHEMA).close()
    await heldByAnother(file)
    const db = openDatabase(file, SCHEMA)
    expect(db.prepare('SELECT count(*) AS n FROM t').get()).toMatchObject({ n: 1 })
    db.close()
  })
})
