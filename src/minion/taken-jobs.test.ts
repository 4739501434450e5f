import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { namingErrors, silentLog } from '../base/mod.ts'
import { TakenJobs } from './taken-jobs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-taken-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const jid = (number: number): string => `20300101${String(number).padStart(12, '0')}`
const open = (): TakenJobs => new TakenJobs(join(folder, 'taken-jobs'), 100, namingErrors, silentLog)

describe('The jobs that a minion has taken', () => {
  it('are taken once, also after a restart', () => {
    const first = open()
    expect([first.take(jid(1)), first.take(jid(1)), first.take(jid(2))]).toEqual([true, false, true])
    const second = open()
    expect([second.take(jid(1)), second.take(jid(2)), second.take(jid(3))]).toEqual([false, false, true])
    expect(statSync(join(folder, 'taken-jobs')).mode & 0o777).toBe(0o600)
  })

  it('survive a line that a power failure cut off', () => {
    open().take(jid(1))
    appendFileSync(join(folder, 'taken-jobs'), jid(2).slice(0, 9))
    expect(open().take(jid(3))).toBe(true)
    const third = open()
    expect([third.take(jid(1)), third.take(jid(3)), third.take(jid(2))]).toEqual([false, false, true])
  })

  it('do not grow without end', () => {
    const taken = open()
    for (let i = 0; i < 20_500; i++) taken.take(jid(i))
    expect(readFileSync(join(folder, 'taken-jobs'), 'utf8').split('\n').length).toBeLessThan(11_000)
    const again = open()
    expect([again.take(jid(20_499)), again.take(jid(11_000)), again.take(jid(0))]).toEqual([false, false, true])
  })
})
