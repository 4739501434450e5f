// The functions of a minion that serves itself.
import { expect, it } from 'vitest'
import { silentLog } from '../base/mod.ts'
import { type Dict, fromPlain, type Value } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { minionFunctions } from './functions.ts'

it('Templates of functions on the command line see pillar unmasked, the caller does not', async () => {
  const host = await MemoryHost.with({ files: { '/srv/salt/app.conf': "token={{ salt['pillar.get']('token') }}\n" } })
  const opts = fromPlain({ id: 'web1', cachedir: '/var/cache', file_roots: { base: ['/srv/salt'] } }) as Dict
  const pillar: Dict = new Map<Value, Value>([['token', 'swordfish']])
  const functions = minionFunctions({ opts, grains: new Map(), pillar, host, log: silentLog })
  await functions.call('cp.get_template', ['salt://app.conf', '/srv/app.conf'])
  expect(Buffer.from(await host.read('/srv/app.conf')).toString()).toBe('token=swordfish\n')
  expect(await functions.call('pillar.get', ['token'])).toBe('**********')
})
