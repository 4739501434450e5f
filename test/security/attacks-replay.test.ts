// Requests of minions that somebody on the path recorded and sends again.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MasterChannel, openTransport, type RequestClient } from '../../src/wire/mod.ts'
import { trialKeys } from '../../src/wire/trial.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'

let site: Besieged
let channel: MasterChannel
const recorded: unknown[] = []
/** Jobs and runs, without those that only ask how others go on. */
const begun = (): number =>
  site.events.filter(
    ({ tag, data }) => /^salt\/(job|run)\/\d+\/new$/.test(tag) && data.get('fun') !== 'saltutil.find_job',
  ).length
beforeAll(async () => {
  site = await Besieged.start({ peer: { '.*': ['.*'] }, peer_run: { '.*': ['.*'] } })
  await site.minion('web1')
  const client = (await openTransport('zeromq')).connect({ host: '127.0.0.1', port: site.ports.requests })
  const tapped: RequestClient = {
    request: (message, options) => {
      recorded.push(message)
      return client.request(message, options)
    },
    close: () => client.close(),
  }
  const [, key] = await trialKeys()
  channel = new MasterChannel({
    client: tapped,
    settings: { id: 'web1', key: key!, pkiDir: site.path('minions', 'web1'), requestTimeout: 5, requestTries: 1 },
  })
  await channel.authenticate()
})
afterAll(async () => {
  channel.close()
  await site.stop()
})

it.each([
  ['minion_pub', { fun: 'cmd.run', arg: ['reboot'], tgt: 'web1', tgt_type: 'glob' }],
  ['minion_publish', { fun: 'cmd.run', arg: ['reboot'], tgt: 'web1', tgt_type: 'glob', tmo: 1 }],
  ['minion_runner', { fun: 'test.arg', arg: ['x'] }],
])('%s is carried out once', async (cmd, fields) => {
  const before = begun()
  await channel.send(dict({ cmd, ...fields }))
  await until('it to be told', () => begun() > before)
  const first = await site.send(recorded.at(-1))
  expect(Buffer.isBuffer(first) || first instanceof Uint8Array).toBe(true)
  await site.send(recorded.at(-1))
  await new Promise((go) => setTimeout(go, 300))
  expect(begun()).toBe(before + 1)
})
