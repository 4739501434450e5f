import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OrchestrationStore } from './mod.ts'

let folder: string
let store: OrchestrationStore

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orchestrations-'))
  store = new OrchestrationStore(join(folder, 'runs.db'))
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true })
})

it('a run keeps its steps in the order they began, with the results of those that ended', () => {
  store.begin('1', new Map([['mods', 'deploy']]))
  store.beginStep('1', 'b')
  store.endStep('1', 'b', new Map([['result', true]]))
  store.beginStep('1', 'a')
  expect(store.steps('1').map(({ tag, result }) => [tag, result?.get('result')])).toEqual([
    ['b', true],
    ['a', undefined],
  ])
  expect(store.run('1')?.state).toBe('running')
  store.end('1', 'failed')
  expect(store.runs(5).map(({ jid, state }) => [jid, state])).toEqual([['1', 'failed']])
})

it('a run keeps its plan and the counts of its steps until it is resumed', () => {
  store.begin('1', new Map([['mods', 'deploy']]))
  store.plan('1', [
    { tag: 'a', requires: [], place: 'x.sls:1' },
    { tag: 'b', requires: ['a'] },
  ])
  // a run within the run adds its steps
  store.plan('1', [{ tag: 'c', requires: [] }])
  expect(store.planOf('1')).toEqual([
    { tag: 'a', requires: [], place: 'x.sls:1' },
    { tag: 'b', requires: ['a'] },
    { tag: 'c', requires: [] },
  ])
  expect(store.counts('1')).toEqual({ total: 3, done: 0, failed: 0 })
  store.beginStep('1', 'a')
  store.endStep('1', 'a', new Map([['result', true]]))
  store.beginStep('1', 'b')
  store.endStep('1', 'b', new Map([['result', false]]))
  expect(store.counts('1')).toEqual({ total: 3, done: 1, failed: 1 })
  expect(store.run('1')?.ended).toBeUndefined()
  store.end('1', 'failed')
  expect(store.run('1')?.ended).toBeGreaterThanOrEqual(store.run('1')!.at)
  store.begin('1', new Map([['mods', 'deploy']]))
  expect([store.planOf('1'), store.run('1')?.ended]).toEqual([[], undefined])
  store.beginStep('1', 'b')
  expect(store.counts('1')).toMatchObject({ done: 1, failed: 0 })
})

it('a plan that comes twice counts once', () => {
  store.begin('1', new Map(), 'a')
  const plan = ['one', 'two'].map((tag) => ({ tag, requires: [] }))
  store.plan('1', plan)
  store.plan('1', [...plan, { tag: 'three', requires: ['two'] }])
  expect(store.planOf('1').map(({ tag }) => tag)).toEqual(['one', 'two', 'three'])
  expect(store.counts('1').total).toBe(3)
})
