import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { ForwardedJobs } from './forwarded-jobs.ts'

const [FIRST, SECOND, THIRD] = [1, 2, 3].map((n) => `2030010100000000000${n}`) as [string, string, string]
let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-forwarded-'))
  file = join(folder, 'jobs')
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (): ForwardedJobs => new ForwardedJobs(file, silentLog)

describe('Jobs from masters above', () => {
  it('are known after a restart, and handed on once', () => {
    const jobs = open()
    expect(jobs.begin(FIRST, 'top.example.com')).toBe(true)
    jobs.done(FIRST)
    jobs.begin(SECOND, 'other.example.com')
    const again = open()
    expect([again.begin(FIRST, 'top.example.com'), again.begin(SECOND, 'other.example.com')]).toEqual([false, true])
    expect([FIRST, SECOND].map((jid) => again.masterOf(jid))).toEqual(['top.example.com', 'other.example.com'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('have no other master because a line was cut', () => {
    const jobs = open()
    jobs.begin(FIRST, 'top.example.com')
    jobs.begin(SECOND, 'top.example.com')
    truncateSync(file, readFileSync(file).length - 5)
    const again = open()
    expect(again.masterOf(SECOND)).toBeUndefined()
    again.begin(THIRD, 'top.example.com')
    const last = open()
    expect([FIRST, SECOND, THIRD].map((jid) => last.masterOf(jid))).toEqual([
      'top.example.com',
      undefined,
      'top.example.com',
    ])
  })
})
