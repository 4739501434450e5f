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
