import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LogLevel, namingErrors } from '../base/mod.ts'
import { fileCache } from './data-cache.ts'
import { SqliteJobs } from './sqlite-jobs.ts'

let folder: string
let file: string
let lines: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-cut-'))
  file = join(folder, 'jobs.db')
  lines = []
})
afterEach(() => rmSync(folder, { recursive: true }))

const use = { storing: namingErrors, log: (_level: LogLevel, text: string) => void lines.push(text) }
const jidOf = (n: number): string => `20260101${String(n).padStart(12, '0')}`

/** Leave the files as after a kill: uncheckpointed data stays in the log. */
function killedAfter(jobs: number, isCheckpointed = false): void {
  const script = `
    import { connectDatabase } from ${JSON.stringify(join(import.meta.dirname, 'database.ts'))}
    import { SqliteJobs } from ${JSON.stringify(join(import.meta.dirname, 'sqlite-jobs.ts'))}
    const jobs = new SqliteJobs(${JSON.stringify(file)})
    for (let n = 1; n <= ${jobs}; n++) {
      const jid = '20260101' + String(n).padStart(12, '0')
      jobs.saveJob({ jid, load: new Map([['fun', 'test.arg'], ['arg', ['x'.repeat(5000)]]]), minions: ['web1'] })
    }
    if (${isCheckpointed}) connectDatabase(${JSON.stringify(file)}).exec('PRAGMA wal_checkpoint(TRUNCATE)')
    process.kill(process.pid, 'SIGKILL')`
  const args = ['--import', 'tsx', '--input-type=module', '-e', script]
  expect(() => execFileSync(process.execPath, args, { cwd: process.cwd(), stdio: 'pipe' })).toThrow('SIGKILL')
}

describe('a database of jobs', () => {
  it('that a kill left whole is opened without a word', () => {
    killedAfter(30)
    const jobs = new SqliteJobs(file, use)
    expect([jobs.jobs().size, lines]).toEqual([30, []])
    jobs.close()
  })

  it('says that its log was cut, and which job is the newest that is left', () => {
    killedAfter(30)
    truncateSync(`${file}-wal`, Math.floor((statSync(`${file}-wal`).size * 2) / 3))
    const jobs = new SqliteJobs(file, use)
    const left = jobs.jobs().size
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(30)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /jobs\.db-wal was cut short: \d+ of the \d+ pages .* are missing, so the newest entries .* are lost/,
    )
    expect(lines[1]).toBe(`Jobs and returns after job ${jidOf(left)} may be missing in ${file}`)
    jobs.saveJob({ jid: jidOf(99), load: new Map([['fun', 'test.ping']]), minions: [] })
    jobs.close()
    lines = []
    const again = new SqliteJobs(file, use)
    expect([again.jobs().size, lines]).toEqual([left + 1, []])
    again.close()
  })

  it('says that all of its log is missing', () => {
    killedAfter(5)
    rmSync(`${file}-wal`)
    new SqliteJobs(file, use).close()
    expect(lines[0]).toContain('jobs.db-wal was cut short')
  })

  it('that was cut itself is moved away, readable rows are copied, and jobs can be stored again', () => {
    killedAfter(600, true)
    truncateSync(file, Math.floor((statSync(file).size * 2) / 3))
    const jobs = new SqliteJobs(file, use)
    const left = jobs.jobs().size
    expect(left).toBeGreaterThan(100)
    expect(left).toBeLessThan(600)
    expect(jobs.job(jidOf(1))!.load.get('fun')).toBe('test.arg')
    jobs.saveJob({ jid: jidOf(999), load: new Map([['fun', 'test.ping']]), minions: [] })
    expect(jobs.jobs().size).toBe(left + 1)
    jobs.close()
    expect(lines).toHaveLength(1)
    const [, rows] =
      /jobs\.db cannot be used: .*damaged-\d{14} and began a new one with (\d+) rows/.exec(lines[0]!) ?? []
    expect(Number(rows)).toBe(left)
    expect(readdirSync(folder).filter((name) => /^jobs\.db\.damaged-\d{14}$/.test(name))).toHaveLength(1)
  })

  it('in place of which there is something else is moved away', () => {
    writeFileSync(file, 'x'.repeat(50_000))
    new SqliteJobs(file, use).close()
    expect(lines[0]).toContain('cannot be used: the file is not a database')
  })
})

describe('a cached value', () => {
  it('whose file was cut is none, and is said so', () => {
    const store = fileCache(folder).bank('grains')
    store.store('web1', new Map([['os', 'Debian']]))
    const path = join(folder, 'grains', 'web1.p')
    writeFileSync(path, readFileSync(path).subarray(0, 6))
    const bank = fileCache(folder, use).bank('grains')
    expect(bank.fetch('web1')).toBeUndefined()
    expect(lines).toEqual([expect.stringContaining(`${path} is damaged and not used`)])
    bank.store('web1', new Map([['os', 'Arch']]))
    expect(bank.fetch('web1')).toEqual(new Map([['os', 'Arch']]))
  })
})
