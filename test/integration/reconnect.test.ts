// Minions while their master is away, and a master that has just started: with the default delays of a minion.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Log } from '../../src/base/mod.ts'
import { masterConfig, minionConfig } from '../../src/config/mod.ts'
import { Master } from '../../src/master/mod.ts'
import { Minion } from '../../src/minion/mod.ts'
import { until } from '../until.ts'
import { TestSite } from './site.ts'

let site: TestSite
let lines: string[]

beforeEach(async () => {
  site = await TestSite.open()
  lines = []
})
afterEach(() => site.close())

const log: Log = (level, text) => {
  if (level === 'warning' || level === 'error') lines.push(text)
}

const OWN_PAUSES = { recon_default: undefined, recon_max: undefined }

/** A minion whose lines are kept; `connected` resolves when its master has let it in. */
async function minion(id: string, more: Record<string, unknown> = {}): Promise<{ connected: Promise<void> }> {
  const made = new Minion(await minionConfig({ path: site.minionConfig(id, { ...OWN_PAUSES, ...more }) }), log)
  site.atEnd(() => made.close())
  const connected = made.open()
  // ends with the test
  connected.catch(() => undefined)
  return { connected }
}

test.each(['zeromq', 'tcp', 'ws'])(
  'A job right after the restart of a master reaches its minions (%s)',
  async (transport) => {
    const master = await site.master('master', '127.0.0.1', { transport, publish_reconnect_wait: 10 })
    for (const id of ['web1', 'web2', 'web3']) await site.minion(id, { ...OWN_PAUSES, transport })
    expect(await master.ask('web3', 'test.ping')).toBe(true)
    await master.stop()
    await master.start()
    const jid = await master.publish('*', 'test.ping')
    for (const id of ['web1', 'web2', 'web3']) await master.event(new RegExp(`^salt/job/${jid}/ret/${id}$`))
    expect(master.seen.filter(({ tag }) => tag.startsWith(`salt/job/${jid}/ret/`))).toHaveLength(3)
  },
)

test('A master that has just started waits only so long for a minion that is gone', async () => {
  const master = await site.master('master', '127.0.0.1', { publish_reconnect_wait: 0.5 })
  const gone = new Minion(await minionConfig({ path: site.minionConfig('web1', OWN_PAUSES) }), log)
  await gone.open()
  await site.minion('web2', OWN_PAUSES)
  expect(await master.ask('web2', 'test.ping')).toBe(true)
  await master.stop()
  await gone.close()
  await master.start()
  expect(await master.ask('web2', 'test.ping')).toBe(true)
})

test('A minion reports which master it cannot reach, and when it is there', async () => {
  const { ret, pub } = site.ports
  const { connected } = await minion('web1')
  const isTold = (start: string, end = ''): boolean =>
    lines.some((line) => line.startsWith(start) && line.endsWith(end))
  const refused = ': connection refused; trying again'
  await until('a line', () => isTold(`Cannot reach master 127.0.0.1:${ret}`, refused))
  const master = await site.master()
  await connected
  await until('a line', () => isTold(`Connected to master 127.0.0.1:${ret} after `))
  expect(await master.ask('web1', 'test.ping')).toBe(true)
  await master.stop()
  await until('a line', () => isTold(`Cannot reach master 127.0.0.1:${pub}`, refused))
  await master.start()
  await until('a line', () => isTold(`Connected to master 127.0.0.1:${pub} again after `))
  expect(lines.filter((line) => line.startsWith(`The connection to master 127.0.0.1:${pub} was lost`))).toHaveLength(1)
})

test('A minion with a pending key and its master do not write a line at each attempt', async () => {
  const quiet = await site.master('master', '127.0.0.1', { auto_accept: false })
  await quiet.stop()
  const told: string[] = []
  const master = await Master.open(await masterConfig({ path: join(quiet.config, 'master') }), (level, text) => {
    if (level !== 'debug') told.push(text)
  })
  site.atEnd(() => master.close())
  let asked = 0
  master.parts.bus.listen(({ tag }) => void (tag === 'salt/auth' && asked++))
  await minion('web1', { acceptance_wait_time: 0.05 })
  await until('several attempts', () => asked >= 8)
  // the fourth line is due after 70 seconds
  expect(lines.filter((line) => line.includes('has cached the public key')).length).toBeLessThan(4)
  const pending = told.filter((line) => line.includes('in pending'))
  expect(pending[0]).toBe('New public key for web1 placed in pending')
  expect(pending.length).toBeLessThan(4)
})
