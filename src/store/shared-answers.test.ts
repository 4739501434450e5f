import { expect, test } from 'vitest'
import type { Dict } from '../data/mod.ts'
import { ApiSessions } from './api-sessions.ts'
import { type AnswerRecords, KeptAnswers } from './shared-answers.ts'

/** Records as a cluster has them. */
class Records implements AnswerRecords {
  readonly all = new Map<string, Dict>()
  fails = false

  async claim(key: string, record: Dict): Promise<Dict | undefined> {
    if (this.fails) throw new Error('no majority')
    const there = this.all.get(key)
    if (!there) this.all.set(key, record)
    return there
  }

  async store(key: string, record: Dict): Promise<void> {
    this.all.set(key, record)
  }

  async remove(key: string): Promise<void> {
    this.all.delete(key)
  }
}

const answer = { status: 202, type: 'text/plain', body: 'done' }

test('answers of a cluster are claimed once, kept for a day, and forgotten with those of their master', async () => {
  let now = 1000
  const records = new Records()
  const stores = [0, 1].map(() => new ApiSessions(':memory:', () => now))
  const [one, other] = stores.map((each) => new KeptAnswers(each, records, () => now)) as [KeptAnswers, KeptAnswers]
  expect(await one.claim('ann', 'key', 'r')).toBe('new')
  expect(await other.claim('ann', 'key', 'r')).toBe('running')
  await one.keep('ann', 'key', 'r', answer)
  expect([await other.claim('ann', 'key', 'r'), await one.claim('ann', 'key', 'r')]).toEqual([answer, answer])
  expect([await other.claim('ann', 'key', 's'), await other.claim('bob', 'key', 'r')]).toEqual(['other', 'new'])
  await other.release('bob', 'key')
  expect(await one.claim('bob', 'key', 'r')).toBe('new')
  records.fails = true
  await expect(other.claim('ann', 'next', 'r')).rejects.toThrow('no majority')
  records.fails = false
  expect(await other.claim('ann', 'next', 'r')).toBe('new')
  await one.keep('bob', 'key', 'r', { ...answer, body: 'x'.repeat(100_000) })
  expect(await other.claim('bob', 'key', 'r')).toBe('running')
  // the record of a master that is gone
  now += 90_000
  expect(await other.claim('ann', 'key', 'r')).toBe('new')
  for (const each of stores) each.prune()
  expect(records.all.size).toBe(0)
  for (const each of stores) each.close()
})
