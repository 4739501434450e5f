// Requests of minions that an attacker on the network recorded and replays.
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Dict, decodeMsgpack, encodeMsgpack, type Value } from '../../src/data/mod.ts'
import { MasterChannel, openTransport, type RequestClient } from '../../src/wire/mod.ts'
import { RequestChannel, type RequestChannelOptions } from '../../src/wire/server/mod.ts'
import { trialKeys, WireTrial } from '../../src/wire/trial.ts'
import { until } from '../until.ts'
import { Besieged, dict } from './besieged.ts'

let site: Besieged
let channel: MasterChannel
const recorded: unknown[] = []
/** Jobs and runs, without queries about running jobs. */
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

it('a recorded request does not make its sender a host of minions', async () => {
  await channel.send(dict({ cmd: '_file_hash', path: 'x', saltenv: 'base' }))
  const transport = await openTransport('zeromq')
  const where = { host: '127.0.0.1', port: site.ports.requests }
  const client = transport.connect(where, { sourceAddress: '127.0.0.9' })
  await client.request(recorded.at(-1), { timeout: 15, tries: 1 })
  client.close()
  // only hosts of minions may announce a message of 100 MiB
  const socket = connect({ ...where, localAddress: '127.0.0.9' }).on('error', () => {})
  const greeting = Buffer.from('ff00000000000000017f0300', 'hex')
  const ready = Buffer.from('\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03REQ', 'latin1')
  const announced = Buffer.from('0100020000000006400000', 'hex')
  socket.write(Buffer.concat([greeting, Buffer.from('NULL'), Buffer.alloc(48), ready, announced])) // 64 bytes of greeting
  await new Promise((done) => socket.once('close', done).resume())
})

it('a request from before the start of the master does nothing, and later ones are carried out', async () => {
  const done: string[] = []
  const handlers = { clear: () => null, aes: (load: Dict) => done.push(String(load.get('cmd'))) }
  // the minion signs in and sends its request ten seconds before the restart
  const now = performance.now.bind(performance)
  const day = Date.now.bind(Date)
  vi.spyOn(performance, 'now').mockImplementation(() => now() - 10_000)
  vi.spyOn(Date, 'now').mockImplementation(() => day() - 10_000)
  const trial = await WireTrial.start({ channel: { handlers } })
  try {
    const { options } = trial.requests as unknown as { options: RequestChannelOptions }
    const minion = await trial.minion()
    await minion.authenticate()
    const { client } = minion as unknown as { client: RequestClient }
    let master = trial.requests
    const sent: Value[] = []
    const copy = (value: unknown): Value => decodeMsgpack(encodeMsgpack(value, 'wire'), { dialect: 'wire' })
    vi.spyOn(client, 'request').mockImplementation(async (message) => {
      sent.push(copy(message))
      return copy(await master.handle(copy(message), { address: '' }))
    })
    await minion.send(dict({ cmd: 'first' }))
    vi.mocked(performance.now).mockRestore()
    vi.mocked(Date.now).mockRestore()
    master = new RequestChannel(options)
    expect(await master.handle(sent.at(-1)!, { address: '' })).toBe('bad load')
    await minion.send(dict({ cmd: 'second' }))
    expect(done).toEqual(['first', 'second'])
  } finally {
    vi.restoreAllMocks()
    await trial.stop()
  }
})
