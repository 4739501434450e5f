import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { ForwardedJobs } from './forwarded-jobs.ts'

const [FIRST, SECOND, THIRD] = ['20300101000000000001', '20300101000000000002', '20300101000000000003']
let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-forwarded-'))
  file = join(folder, 'jobs')
})
afterEach(() => rmSync(folder, { recursive: true }))

it('A job that was handed on is not begun again, also after a restart, and its master is known', () => {
  const jobs = new ForwardedJobs(file, silentLog)
  expect(jobs.begin(FIRST, '*', 'top:4506')).toBe(true)
  expect(jobs.masterOf(FIRST)).toBe('top:4506')
  jobs.done(FIRST, '*')
  expect(jobs.begin(FIRST, '*', 'top:4506')).toBe(false)
  const again = new ForwardedJobs(file, silentLog)
  expect(again.begin(FIRST, '*', 'other')).toBe(false)
  expect(again.masterOf(FIRST)).toBe('top:4506')
  expect(again.masterOf(SECOND)).toBeUndefined()
})

it('A job whose hand-over a crash interrupted is started again, and broken lines are skipped', () => {
  new ForwardedJobs(file, silentLog).begin(FIRST, '*', 'top')
  appendFileSync(file, `not a job = top\n${SECOND} ? top\n${SECOND.slice(0, 9)}`)
  const again = new ForwardedJobs(file, silentLog)
  expect(again.masterOf(FIRST)).toBe('top')
  expect(again.masterOf(SECOND)).toBeUndefined()
  expect(again.begin(FIRST, '*', 'top')).toBe(true)
})

it('A job gets no other master because the end of a line was cut off', () => {
  const name = 'top.example.com'
  const jobs = new ForwardedJobs(file, silentLog)
  jobs.begin(FIRST, '*', name)
  jobs.begin(SECOND, '*', name)
  truncateSync(file, statSync(file).size - 5)
  const again = new ForwardedJobs(file, silentLog)
  expect(again.masterOf(SECOND)).toBeUndefined()
  again.begin(THIRD, '*', name)
  const last = new ForwardedJobs(file, silentLog)
  expect([FIRST, SECOND, THIRD].map((jid) => last.masterOf(jid))).toEqual([name, undefined, name])
})

it('Each round of a batch is handed on once, also after a restart', () => {
  const jobs = new ForwardedJobs(file, silentLog)
  for (const round of [['web1'], ['web2']]) {
    expect(jobs.begin(FIRST, round, 'top')).toBe(true)
    jobs.done(FIRST, round)
    expect(jobs.begin(FIRST, round, 'top')).toBe(false)
  }
  const again = new ForwardedJobs(file, silentLog)
  expect([['web1'], ['web2'], ['web3']].map((round) => again.begin(FIRST, round, 'top'))).toEqual([false, false, true])
})
