import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dict, decodeMsgpack, type Value } from '../data/mod.ts'
import { connectDatabase } from './database.ts'
import type { JobFilter } from './job-ledger.ts'
import { SqliteJobs } from './sqlite-jobs.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-ledger-'))
afterAll(() => rmSync(directory, { recursive: true }))

const load = (fun: string, user: string, tgt: Value = '*'): Dict =>
  new Map<Value, Value>([
    ['fun', fun],
    ['user', user],
    ['tgt', tgt],
    ['tgt_type', 'glob'],
  ])
const answer = (retcode: number): Dict =>
  new Map<Value, Value>([
    ['return', 'done'],
    ['retcode', retcode],
  ])

const jidOf = (number: number): string => String(20_260_101_000_000_000_000n + BigInt(number))

describe('the ledger of jobs', () => {
  let jobs: SqliteJobs
  beforeAll(async () => {
    jobs = new SqliteJobs(join(directory, 'jobs.db'))
    jobs.saveJob({ jid: jidOf(1), load: load('test.ping', 'ann'), minions: ['web1', 'web2'] })
    jobs.saveJob({ jid: jidOf(2), load: load('state.apply', 'bob', 'web*'), minions: ['web1'] })
    jobs.saveJob({ jid: jidOf(3), load: load('state.highstate', 'bob', ['db1', 'db2']), minions: ['db1', 'db2'] })
    jobs.saveJob({ jid: jidOf(4), load: load('test.ping', 'bob'), minions: ['db9'], isForeign: true })
    jobs.ledger.noteEauth(jidOf(3), 'pam')
    await Promise.all([
      jobs.saveReturn({ jid: jidOf(1), id: 'web1', data: answer(0) }),
      jobs.saveReturn({ jid: jidOf(1), id: 'web2', data: answer(0) }),
      jobs.saveReturn({ jid: jidOf(1), id: 'web2', data: answer(1) }),
      jobs.saveReturn({ jid: jidOf(2), id: 'web1', data: answer(2) }),
      jobs.saveReturn({ jid: jidOf(3), id: 'db1', data: answer(0) }),
    ])
  })
  afterAll(() => jobs.close())

  const found = async (filter: JobFilter): Promise<number[]> =>
    (await jobs.ledger.page(filter, 10)).jobs.map(({ jid }) => Number(BigInt(jid) - BigInt(jidOf(0))))

  it('counts returns once, and failures by their status', () => {
    expect(jobs.ledger.fact(jidOf(1))).toMatchObject({ total: 2, returned: 2, failed: 0, state: 'done' })
    expect(jobs.ledger.fact(jidOf(2))).toMatchObject({ total: 1, returned: 1, failed: 1, state: 'failed' })
    expect(jobs.ledger.fact(jidOf(3))).toMatchObject({ target: 'db1,db2', returned: 1, state: 'running' })
    expect(jobs.ledger.fact('0')).toBeUndefined()
  })

  it('gives the returns of a job in the order they came, and as they are kept', () => {
    const all = jobs.ledger.arrivals(jidOf(1), 0, 10)
    expect(all).toMatchObject([
      { id: 'web1', isFailed: false },
      { id: 'web2', isFailed: false },
    ])
    expect(jobs.ledger.arrivals(jidOf(1), 0, 1)).toEqual(all.slice(0, 1))
    expect(jobs.ledger.arrivals(jidOf(1), all[0]!.number, 10)).toEqual(all.slice(1))
    expect(jobs.ledger.arrivals(jidOf(1), all[1]!.number, 10)).toEqual([])
    expect(decodeMsgpack(jobs.ledger.bytesOf(jidOf(1), 'web1')!, { dialect: 'bus' })).toEqual(answer(0))
    expect(jobs.ledger.bytesOf(jidOf(1), 'web3')).toBeUndefined()
  })

  it.each<[JobFilter, number[]]>([
    [{}, [4, 3, 2, 1]],
    [{ fun: 'test.ping' }, [4, 1]],
    [{ fun: 'state.*' }, [3, 2]],
    [{ user: 'bob' }, [4, 3, 2]],
    [{ owner: { user: 'bob' } }, [2]],
    [{ owner: { user: 'bob', eauth: 'pam' } }, [3, 2]],
    [{ owner: { user: 'bob', eauth: 'ldap' } }, [2]],
    [{ user: 'ann', owner: { user: 'bob' } }, []],
    [{ target: 'web*' }, [2]],
    [{ target: '*' }, [4, 3, 2, 1]],
    [{ minion: 'web1' }, [2, 1]],
    [{ minion: 'db2' }, [3]],
    [{ state: 'running' }, [4, 3]],
    [{ state: 'failed' }, [2]],
    [{ state: 'done', fun: 'test.*' }, [1]],
    [{ since: Date.now() / 1000 + 60 }, []],
    [{ until: Date.now() / 1000 - 60 }, []],
    [{ fun: "x' OR 1=1 --" }, []],
  ])('finds jobs by %j, newest first', async (filter, wanted) => {
    expect(await found(filter)).toEqual(wanted)
  })

  it('recognises own jobs by the user name and the system of authentication', () => {
    const isOwn = (user: string, eauth?: string) => jobs.ledger.isOwn(jidOf(3), { user, ...(eauth && { eauth }) })
    expect([isOwn('bob', 'pam'), isOwn('bob', 'ldap'), isOwn('bob'), isOwn('ann', 'pam')]).toEqual([
      true,
      false,
      false,
      false,
    ])
    // jobs without a system are matched by the name only, and those of syndics belong to no user
    expect(jobs.ledger.isOwn(jidOf(2), { user: 'bob', eauth: 'ldap' })).toBe(true)
    expect(jobs.ledger.isOwn(jidOf(4), { user: 'bob', eauth: 'pam' })).toBe(false)
  })

  it('gives the returns of a job by id, page by page', () => {
    expect(jobs.ledger.outcomes(jidOf(1)).map(({ id, isFailed }) => [id, isFailed])).toEqual([
      ['web1', false],
      ['web2', false],
    ])
    expect(jobs.ledger.outcomes(jidOf(1), 1, 'web1').map(({ id }) => id)).toEqual(['web2'])
  })

  it('returns the returns that came after a given one', () => {
    const [first, ...others] = jobs.ledger.returnsAfter(0, 10)
    expect(jobs.ledger.returnsAfter(first!.number, 10)).toEqual(others)
    expect(others.at(-1)).toMatchObject({ number: jobs.ledger.lastReturn, jid: jidOf(3), id: 'db1' })
  })

  it('forgets a job with its returns', () => {
    const other = new SqliteJobs(join(directory, 'pruned.db'))
    other.saveJob({ jid: jidOf(1), load: load('test.ping', 'ann'), minions: ['web1'] })
    expect(other.prune(-10)).toBe(1)
    expect(other.ledger.fact(jidOf(1))).toBeUndefined()
    expect(other.ledger.count()).toBe(0)
    other.close()
  })
})

it('a ledger pages through more jobs than it looks at in one go, whatever the filter leaves out', async () => {
  const file = join(directory, 'many.db')
  const jobs = new SqliteJobs(file)
  const count = 12_000
  const db = connectDatabase(file)
  db.transaction(() => {
    const insert = db.prepare('INSERT INTO ledger_job VALUES (?, ?, ?, ?, ?, ?, 1, 1, 0, 1)')
    for (let n = 0; n < count; n++)
      insert.run(jidOf(n), n, n % 1200 === 0 ? 'rare.one' : 'test.ping', 'ann', '*', 'glob')
  })
  db.close()
  const seen: string[] = []
  for (let before: string | undefined; ; ) {
    const page = await jobs.ledger.page({ target: '*' }, 700, before)
    seen.push(...page.jobs.map(({ jid }) => jid))
    before = page.next
    if (before === undefined) break
  }
  expect(seen).toEqual(Array.from({ length: count }, (_, n) => jidOf(count - 1 - n)))
  const rare = await jobs.ledger.page({ fun: '*are.one' }, 20)
  expect(rare).toEqual({ jobs: expect.any(Array) })
  expect(rare.jobs).toHaveLength(10)
  expect((await jobs.ledger.page({ since: 11_990 }, 100)).jobs).toHaveLength(10)
  jobs.close()
})

it('a ledger is written for jobs of a store that had none', async () => {
  const file = join(directory, 'old.db')
  const old = new SqliteJobs(file)
  old.saveJob({ jid: jidOf(7), load: load('test.fail', 'ann'), minions: ['web1', 'web2'] })
  await old.saveReturn({ jid: jidOf(7), id: 'web1', data: answer(1) })
  const before = old.ledger.fact(jidOf(7))
  old.close()
  const db = connectDatabase(file)
  db.exec('DROP TABLE ledger_job; DROP TABLE ledger_return; PRAGMA user_version = 0')
  db.close()
  const again = new SqliteJobs(file)
  expect(again.ledger.fact(jidOf(7))).toEqual(before)
  expect(again.ledger.outcomes(jidOf(7))).toMatchObject([{ id: 'web1', isFailed: true }])
  again.close()
})
