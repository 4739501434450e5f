import { expect, test } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import stateconf from './state.ts'

test.each(['set', 'context'])('stateconf.%s holds settings and changes nothing', async (name) => {
  const report = toPlain(await tryState(stateconf, name, { kwargs: { name: 'settings', port: 80 } }))
  expect(report).toEqual({ name: 'settings', result: true, changes: {}, comment: '' })
})
