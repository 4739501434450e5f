import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CacheEntry, CacheQueueStore } from '../store/mod.ts'
import { CacheQueue, type CacheQueueSettings } from './cache-queue.ts'

let folder: string
let store: CacheQueueStore
let queue: CacheQueue
let told: string[]
/** The entries in the cache, as `fun jid data`. */
let had: string[]
let most: number
let now: number
/** Why the cache does not take an entry. */
let refusal: (entry: CacheEntry) => string | undefined
/** Each call waits for this promise. */
let gate: Promise<void>

async function send(entry: CacheEntry): Promise<void> {
  most = Math.max(most, ++now)
  try {
    await gate
    const why = refusal(entry)
    if (why !== undefined) throw new Error(why)
    had.push(`${entry.fun} ${entry.jid} ${JSON.stringify(entry.data)}`)
  } finally {
    now--
  }
}

function open(settings: CacheQueueSettings = {}): void {
  store = new CacheQueueStore(join(folder, 'job-caches.db'))
  const log = (level: string, text: string): void => void (level === 'debug' || told.push(`${level} ${text}`))
  queue = new CacheQueue({ name: 'pg', store, log, send }, { firstDelayMs: 5, mostDelayMs: 10, ...settings })
}

async function close(): Promise<void> {
  await queue.close()
  store.close()
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'brine-cache-queue-'))
  ;[told, had, most, now, refusal, gate] = [[], [], 0, 0, () => undefined, Promise.resolve()]
})

afterEach(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

const job = (jid: string): Omit<CacheEntry, 'id'> => ({ fun: 'save_load', jid, data: 'load' })
const ret = (jid: string, id: string): Omit<CacheEntry, 'id'> => ({ fun: 'returner', jid, data: id })
const waiting = (): number => store.waiting('pg').count

test('a job goes before its returns, and only some are sent at once', async () => {
  open()
  await queue.note(job('1'), 10_000)
  expect(had).toEqual(['save_load 1 "load"'])
  void queue.note(job('2'))
  for (let number = 0; number < 100; number++) void queue.note(ret('2', `m${number}`))
  await expect.poll(waiting).toBe(0)
  expect([had[1], had.length, new Set(had).size, most]).toEqual(['save_load 2 "load"', 102, 102, 4])
  expect(told).toEqual([])
})

test('entries that a failing cache did not take are sent after a restart, and both changes are logged once', async () => {
  open()
  refusal = () => 'Connection refused'
  await queue.note(job('1'), 60_000)
  // a cache that is known to fail delays no caller
  await queue.note(job('2'), 60_000)
  await queue.note(ret('1', 'web1'))
  await queue.note(ret('2', 'web1'))
  await close()
  expect(had).toEqual([])
  open()
  queue.resume()
  await expect.poll(() => told.length).toBe(3)
  refusal = () => undefined
  await expect.poll(waiting).toBe(0)
  expect([...had].sort()).toEqual([
    'returner 1 "web1"',
    'returner 2 "web1"',
    'save_load 1 "load"',
    'save_load 2 "load"',
  ])
  for (const jid of ['1', '2'])
    expect(had.indexOf(`save_load ${jid} "load"`)).toBeLessThan(had.indexOf(`returner ${jid} "web1"`))
  const fails = 'warning The job cache pg fails, and jobs and returns wait on disk until it works: Connection refused'
  const left = 'info 4 jobs and returns wait for the job cache pg'
  expect(told).toEqual([fails, left, fails, expect.stringContaining('warning The job cache pg works again; ')])
})

test('a cache without an answer counts as failing, and delays no publication for good', async () => {
  open({ slowMs: 20 })
  let answer = (): void => undefined
  gate = new Promise((done) => (answer = done))
  await queue.note(job('1'), 3_600_000)
  await queue.note(job('2'), 3_600_000)
  expect(told).toEqual([expect.stringContaining('no answer for 0.02 seconds')])
  answer()
  await expect.poll(waiting).toBe(0)
  expect(told[1]).toContain('works again')
})

test('a publication waits for a slow cache as long as it says, and no longer', async () => {
  open()
  let answer = (): void => undefined
  gate = new Promise((done) => (answer = done))
  await queue.note(job('1'), 10)
  expect([had, told]).toEqual([[], []])
  answer()
  await expect.poll(waiting).toBe(0)
})

test('a full queue keeps its entries, and reports how many the cache lacks', async () => {
  open({ most: 2 })
  refusal = () => 'away'
  for (const jid of ['1', '2', '3', '4']) await queue.note(job(jid))
  expect(waiting()).toBe(2)
  expect(told.filter((line) => line.startsWith('error'))).toEqual([
    expect.stringContaining('no more are kept for it, so it lacks 1 so far'),
  ])
  refusal = () => undefined
  await expect.poll(waiting).toBe(0)
  await queue.note(job('5'), 10_000)
  // the order of the first two depends on the entry that was retried meanwhile
  expect([...had].sort()).toEqual(['save_load 1 "load"', 'save_load 2 "load"', 'save_load 5 "load"'])
  expect(told.at(-1)).toContain('has room again; it lacks 2 jobs and returns')
})

test('an entry that the cache never takes lets the others pass, and is tried again at the next start', async () => {
  open()
  refusal = ({ jid }) => (jid === 'bad' ? 'value too long' : undefined)
  await queue.note(job('bad'))
  await queue.note(ret('bad', 'web1'))
  let number = 0
  await expect
    .poll(async () => {
      await queue.note(job(`${number++}`))
      return told.filter((line) => line.startsWith('error')).length
    })
    .toBe(2)
  expect(told).toContainEqual(expect.stringContaining('takes others but not job bad'))
  await expect.poll(waiting).toBe(2)
  await close()
  refusal = () => undefined
  open()
  queue.resume()
  await expect.poll(waiting).toBe(0)
  expect(had.slice(-2)).toEqual(['save_load bad "load"', 'returner bad "web1"'])
})

test('a disk that keeps what the cache has stops the queue, and nothing is sent twice', async () => {
  open()
  const remove = store.remove.bind(store)
  store.remove = () => {
    throw new Error('disk full')
  }
  for (let number = 0; number < 20; number++) await queue.note(job(`${number}`))
  await expect.poll(() => told.filter((line) => line.includes('Cannot use the queue')).length).toBeGreaterThan(2)
  expect(had.length).toBeLessThanOrEqual(4)
  store.remove = remove
  await expect.poll(waiting).toBe(0)
  expect([had.length, new Set(had).size]).toEqual([20, 20])
})

test('a call of a cache that never ends is given up, and the entry is sent again', async () => {
  open({ slowMs: 5, hungMs: 20 })
  gate = new Promise(() => undefined)
  await queue.note(job('1'))
  await queue.note(ret('1', 'web1'))
  await expect.poll(() => now).toBeGreaterThan(1)
  gate = Promise.resolve()
  await expect.poll(waiting).toBe(0)
  expect(had).toEqual(['save_load 1 "load"', 'returner 1 "web1"'])
})

test('returns of a job that is under way cost no search each', async () => {
  open()
  let answer = (): void => undefined
  gate = new Promise((done) => (answer = done))
  void queue.note(job('1'))
  let searches = 0
  const next = store.next.bind(store)
  store.next = (...args) => {
    searches++
    return next(...args)
  }
  for (let number = 0; number < 50; number++) void queue.note(ret('1', `m${number}`))
  expect(searches).toBe(0)
  answer()
  await expect.poll(waiting).toBe(0)
  expect(had).toHaveLength(51)
})

test('nothing is noted while the queue is closed', async () => {
  open()
  await queue.close()
  await expect(queue.note(job('1'))).rejects.toThrow('the master is stopping')
})
