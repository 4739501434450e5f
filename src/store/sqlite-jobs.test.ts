import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type Dict, encodeMsgpack, type Value } from '../data/mod.ts'
import { SqliteJobs } from './sqlite-jobs.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-jobs-'))
afterAll(() => rmSync(directory, { recursive: true }))
const file = join(directory, 'jobs.db')

const load = (fun: string): Dict => new Map<Value, Value>([['fun', fun]])
const answer = (value: Value): Dict => new Map<Value, Value>([['return', value]])

describe('the job store', () => {
  it('stores each return once, however often it arrives and in any combination', async () => {
    const jobs = new SqliteJobs(file)
    jobs.saveJob({ jid: '1', load: load('test.ping'), minions: ['a', 'b'] })
    const taken = await Promise.all(['a', 'b', 'a'].map((id) => jobs.saveReturn({ jid: '1', id, data: answer(true) })))
    expect(taken).toEqual([true, true, false])
    expect(await jobs.saveReturn({ jid: '1', id: 'b', data: answer('late') })).toBe(false)
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o077).toBe(0)
    jobs.close()
    const again = new SqliteJobs(file)
    expect([...again.returns('1')]).toEqual([
      ['a', answer(true)],
      ['b', answer(true)],
    ])
    again.close()
  })

  it('shows a return as soon as it was given', async () => {
    const jobs = new SqliteJobs(join(directory, 'waiting.db'))
    const job = { jid: '7', load: load('runner.test.arg'), minions: [] }
    // the first is written in the next turn, the second waits for others
    await jobs.saveReturn({ jid: '1', id: 'z', data: answer(true) })
    const saved = jobs.saveReturn({ jid: '7', id: 'master', data: answer(1), job })
    expect(jobs.job('7')).toEqual(job)
    expect(jobs.returns('7').get('master')).toEqual(answer(1))
    expect(await saved).toBe(true)
    jobs.close()
  })

  it('knows of each minion how far it is, and why', async () => {
    const jobs = new SqliteJobs(file)
    jobs.saveJob({ jid: '2', load: load('test.sleep'), minions: ['c', 'a', 'b'] })
    jobs.saveJob({ jid: '2', load: load('test.sleep'), minions: ['d'] })
    jobs.note('2', { id: 'c', state: 'gone', reason: 'the connection was lost' })
    await jobs.saveReturn({ jid: '2', id: 'a', data: answer(1) })
    expect(jobs.job('2')).toEqual({ jid: '2', load: load('test.sleep'), minions: ['a', 'b', 'c', 'd'] })
    expect(jobs.progress('2')).toEqual([
      { id: 'a', state: 'returned' },
      { id: 'b', state: 'published' },
      { id: 'c', state: 'gone', reason: 'the connection was lost' },
      { id: 'd', state: 'published' },
    ])
    jobs.close()
  })

  it('keeps the bytes of an event for its return, without its time stamp', async () => {
    const jobs = new SqliteJobs(file)
    jobs.saveJob({ jid: '3', load: load('test.echo'), minions: ['a'] })
    const data = answer('x').set('_stamp', 'now') as Dict
    await jobs.saveReturn({ jid: '3', id: 'a', data, packed: encodeMsgpack(data, 'bus') })
    expect(jobs.returns('3').get('a')).toEqual(answer('x'))
    expect(jobs.lastReturns('test.echo').get('a')).toEqual(answer('x'))
    expect(jobs.lastReturns('test.none').size).toBe(0)
    jobs.close()
  })

  it('lets a record of a syndic neither change nor forestall one of this master', async () => {
    const jobs = new SqliteJobs(join(directory, 'foreign.db'))
    const [own, foreign] = [load('test.ping'), load('cmd.run')]
    jobs.saveJob({ jid: '1', load: own, minions: ['a'] })
    jobs.saveJob({ jid: '1', load: foreign, minions: ['below'], isForeign: true })
    expect(jobs.job('1')).toEqual({ jid: '1', load: own, minions: ['a', 'below'] })
    jobs.saveJob({ jid: '2', load: foreign, minions: ['below'], isForeign: true })
    await jobs.saveReturn({ jid: '2', id: 'below', data: answer('forged') })
    jobs.saveJob({ jid: '2', load: own, minions: ['a'] })
    expect(jobs.job('2')).toEqual({ jid: '2', load: own, minions: ['a'] })
    expect([...jobs.returns('2')]).toEqual([])
    jobs.saveJob({ jid: '2', load: foreign, minions: ['below'], isForeign: true })
    jobs.saveJob({ jid: '2', load: load('test.echo'), minions: ['b'] })
    expect(jobs.job('2')).toEqual({ jid: '2', load: own, minions: ['a', 'b', 'below'] })
    jobs.close()
  })

  it('lists what another process saved, replaced and removed', () => {
    const path = join(directory, 'shared.db')
    const [jobs, other] = [new SqliteJobs(path), new SqliteJobs(path)]
    jobs.saveJob({ jid: '1', load: load('cmd.run'), minions: [], isForeign: true })
    jobs.saveJob({ jid: '2', load: load('test.ping'), minions: [] })
    expect([...jobs.jobs()].map(([jid, job]) => [jid, job.get('fun')])).toEqual([
      ['1', 'cmd.run'],
      ['2', 'test.ping'],
    ])
    // another moment than that of the first job
    for (const before = Date.now(); Date.now() <= before + 1; );
    other.saveJob({ jid: '1', load: load('test.echo'), minions: [] })
    other.saveJob({ jid: '3', load: load('test.arg'), minions: [] })
    expect([...jobs.jobs()].map(([jid, job]) => [jid, job.get('fun')])).toEqual([
      ['1', 'test.echo'],
      ['2', 'test.ping'],
      ['3', 'test.arg'],
    ])
    expect([...jobs.jobs(1).keys()]).toEqual(['3'])
    other.prune(-1)
    expect(jobs.jobs().size).toBe(0)
    jobs.close()
    other.close()
  })

  it('forgets jobs that are old, with their returns', () => {
    const jobs = new SqliteJobs(file)
    expect(jobs.prune(3600)).toBe(0)
    expect(jobs.prune(-1)).toBe(3)
    expect([jobs.jobs().size, jobs.returns('1').size, jobs.progress('2').length]).toEqual([0, 0, 0])
    jobs.close()
  })
})
