import { expect, test } from 'vitest'
import { silentLog } from '../base/mod.ts'
import type { Dict, Value } from '../data/mod.ts'
import { moduleTable, Registry } from '../loader/mod.ts'
import { runFunction } from './run-job.ts'

const dict = (fields: Record<string, Value>): Dict => new Map(Object.entries(fields))

test('A caller cannot set the publisher of the job in __pub_ keywords', async () => {
  const functions = new Registry(moduleTable, {
    opts: dict({ id: 'web1' }),
    grains: new Map(),
    pillar: new Map(),
    log: silentLog,
  })
  await functions.refresh()
  const forged = dict({ __kwarg__: true, colour: 'blue', __pub_id: 'db1', __pub_user: 'root', __pub_jid: '1' })
  const published = dict({ jid: '20300101000000000001', user: 'joe' })
  const { value } = await runFunction(functions, { fun: 'test.kwarg', args: [forged], published }, silentLog)
  const seen = Object.fromEntries(value as Dict)
  expect(seen).toMatchObject({ colour: 'blue', __pub_jid: '20300101000000000001', __pub_user: 'joe' })
  expect(seen).not.toHaveProperty('__pub_id')
})
