// Stores that programs page through, newest first.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { Dict, Value } from '../data/mod.ts'
import { OrchestrationStore } from './orchestrations.ts'
import { ReactionStore } from './reactions.ts'

const directory = mkdtempSync(join(tmpdir(), 'brine-pages-'))
afterAll(() => rmSync(directory, { recursive: true }))

const record = (tag: string): Dict => new Map<Value, Value>([['tag', tag]])

it('reactions before a number, of all tags or of one', () => {
  const store = new ReactionStore(join(directory, 'reactions.db'))
  for (const tag of ['a', 'b', 'a', 'b', 'a']) store.begin(tag, record(tag))
  const ids = (before: number, count: number, tag?: string): number[] =>
    store.before(before, count, tag).map(({ id }) => id)
  expect(ids(99, 2)).toEqual([5, 4])
  expect(ids(4, 10)).toEqual([3, 2, 1])
  expect(ids(5, 10, 'a')).toEqual([3, 1])
  store.close()
})

it('orchestration runs before a job id', () => {
  const store = new OrchestrationStore(join(directory, 'orchestrations.db'))
  const jids = ['20260101000000000001', '20260101000000000002', '20260101000000000003']
  for (const jid of jids) store.begin(jid, new Map([['mods', jid]]))
  expect(store.runsBefore('~', 2).map(({ jid }) => jid)).toEqual([jids[2], jids[1]])
  expect(store.runsBefore(jids[1]!, 2).map(({ jid }) => jid)).toEqual([jids[0]])
  store.close()
})
