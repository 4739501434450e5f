import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newJid, type Storing, storageError } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { isJob, Jobs } from './jobs.ts'

let root: string
let lines: string[]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'brine-jobs-'))
  lines = []
})
afterEach(() => rmSync(root, { recursive: true }))

const dict = (entries: Record<string, Value>): Dict => new Map(Object.entries(entries))
const log = (_level: string, text: string): unknown => lines.push(text)
const jobsIn = (cachedir: string): Jobs => new Jobs({ opts: dict({ cachedir }), log: log as never })

const BAD: Value[] = ['../../evil', '../x', 'x', '', '20300101120000000001/../../evil', '20300101120000000001\n', 7]

test.each(BAD)('A job whose id is %j is not run and leaves no file', async (jid) => {
  const jobs = jobsIn(join(root, 'a', 'cache'))
  let hasRun = false
  jobs.hold(dict({ jid, fun: 'test.ping' }), async () => {
    hasRun = true
  })
  await jobs.settle()
  expect(hasRun).toBe(false)
  expect(existsSync(join(root, 'a', 'evil')) || existsSync(join(root, 'evil'))).toBe(false)
  expect(lines.join()).toContain('is not a job id')
})

test('A job is noted under its id while it runs', async () => {
  const jobs = jobsIn(root)
  const jid = newJid()
  let noted: string[] = []
  jobs.hold(dict({ jid, fun: 'test.ping' }), async () => {
    noted = readdirSync(join(root, 'proc'))
  })
  await jobs.settle()
  expect(noted).toEqual([jid])
  expect(readdirSync(join(root, 'proc'))).toEqual([])
})

test.each(BAD)('A publication whose job id is %j is dropped and logged', (jid) => {
  expect(isJob(dict({ tgt: '*', fun: 'test.ping', arg: [], jid }), log as never)).toBe(false)
  expect(lines).toEqual([expect.stringContaining('Dropped a publication')])
})

test('A publication with a job id is a job', () => {
  expect(isJob(dict({ tgt: '*', fun: 'test.ping', arg: [], jid: newJid() }), log as never)).toBe(true)
  expect(isJob(dict({ tgt: '*', fun: 'test.ping', arg: [], jid: newJid(true) }), log as never)).toBe(true)
  expect(lines).toEqual([])
})

/** The disk takes nothing. */
const full: Storing = (path) => {
  throw storageError(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }), path)
}

test('A job runs also when the disk takes no note of it', async () => {
  const jobs = new Jobs({ opts: dict({ cachedir: root }), log: log as never, storing: full })
  let hasRun = false
  jobs.hold(dict({ jid: newJid(), fun: 'test.ping' }), async () => {
    hasRun = true
  })
  await jobs.settle()
  expect(hasRun).toBe(true)
  expect(lines).toEqual([
    expect.stringMatching(/^Job \d{20} runs without a note of it on disk: .* no space left on the disk$/),
  ])
})

test('A job that cannot even begin returns why', async () => {
  const returned: Dict[] = []
  const jid = newJid()
  const functions = async (): Promise<never> => {
    throw storageError(Object.assign(new Error('EMFILE'), { code: 'EMFILE' }), '/srv/modules')
  }
  const jobs = jobsIn(root)
  jobs.begin(dict({ jid, fun: 'test.ping', arg: [] }), { functions, finished: (ret) => void returned.push(ret) })
  await jobs.settle()
  expect(returned.map((ret) => Object.fromEntries(ret))).toMatchObject([
    { jid, fun: 'test.ping', success: false, retcode: 1, return: expect.stringContaining('Cannot open /srv/modules') },
  ])
})
