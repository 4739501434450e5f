import { expect, test } from 'vitest'
import { fromPlain, toPlain } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import pdbedit from './state.ts'

test.each<[string, boolean, string]>([
  ['created', true, ''],
  ['unchanged', true, ''],
  ['no such domain', false, 'no such domain'],
])('pdbedit.managed reports that a user was %s', async (outcome, result, comment) => {
  const others = { 'pdbedit.list': () => new Map(), 'pdbedit.modify': () => fromPlain({ zoe: outcome }) }
  const report = await tryState(pdbedit, 'managed', { kwargs: { name: 'zoe' }, others })
  expect(toPlain(report)).toMatchObject({ result, comment, changes: outcome === 'created' ? { zoe: outcome } : {} })
})
