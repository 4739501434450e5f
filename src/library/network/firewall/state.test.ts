import { expect, test } from 'vitest'
import { toPlain, type Value } from '../../../data/mod.ts'
import { tryState } from '../../../sdk/mod.ts'
import firewall from './state.ts'

test('firewall.check reports the result of the connection, and opens none in a dry run', async () => {
  const answer = new Map<Value, Value>([
    ['result', false],
    ['comment', 'Unable to connect to db (10.0.0.1) on tcp port 5432'],
  ])
  const others = { 'network.connect': () => answer }
  const kwargs = { name: 'db', port: 5432, proto: 'tcp' }
  const real = toPlain(await tryState(firewall, 'check', { kwargs, others }))
  expect(real).toMatchObject({ result: false, comment: answer.get('comment') })
  const dry = toPlain(await tryState(firewall, 'check', { kwargs, others: {}, test: true }))
  expect(dry).toMatchObject({ result: true, comment: 'The connection will be tested' })
})
