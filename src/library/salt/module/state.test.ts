import { expect, test } from 'vitest'
import { toPlain } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import module from './state.ts'

test.each(['wait', 'watch'])('module.%s calls nothing by itself', async (name) => {
  const report = toPlain(await tryState(module, name, { kwargs: { name: 'test.ping' } }))
  expect(report).toEqual({ name: 'test.ping', result: true, changes: {}, comment: '' })
})

test.each(['run', 'mod_watch'])('module.%s fails for a function that is not available', async (name) => {
  const old = await tryState(module, name, { kwargs: { name: 'no.such' } })
  expect(toPlain(old)).toMatchObject({ result: false, comment: 'Module function no.such is not available' })
  const current = await tryState(module, name, { kwargs: { name: 'x', 'no.such': null } })
  expect(toPlain(current)).toMatchObject({ result: false, comment: 'Unavailable function: no.such.' })
})
