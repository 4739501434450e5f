import { expect, test } from 'vitest'
import { decodeBytes, type Value } from '../../../data/mod.ts'
import { MemoryHost } from '../../../host/mod.ts'
import { tryFunction } from '../../../sdk/mod.ts'
import shadow from './module.ts'

const SHADOW = 'root:*:19000:0:99999:7:::\nweb:!:19001::90:7::20000:\n'

test('the shadow file contains hash and ages, and -1 for unset ones', async () => {
  const host = await MemoryHost.with({ files: { '/etc/shadow': SHADOW } })
  const info = await tryFunction(shadow, 'info', { args: ['web'], host })
  expect([...(info as Map<Value, Value>).values()]).toEqual(['web', '!', 19001, -1, 90, 7, -1, 20000])
  const missing = await tryFunction(shadow, 'info', { args: ['none'], host })
  expect(new Set((missing as Map<Value, Value>).values())).toEqual(new Set(['']))
})

test('a hash is written into the file, with the day of its change', async () => {
  const host = await MemoryHost.with({ files: { '/etc/shadow': SHADOW }, now: () => 20_000 * 86_400 })
  const others = { 'cmd.retcode': () => 0 }
  expect(await tryFunction(shadow, 'set_password', { args: ['web', '$6$x'], host, others })).toBe(true)
  expect(await tryFunction(shadow, 'set_password', { args: ['new', '$6$y'], host, others })).toBe(true)
  expect(decodeBytes(await host.read('/etc/shadow'))).toBe(
    'root:*:19000:0:99999:7:::\nweb:$6$x:20000::90:7::20000:\nnew:$6$y:20000::::::\n',
  )
})
