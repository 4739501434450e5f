// Jobs that were published while a minion was not connected.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLog } from '../../src/base/mod.ts'
import { minionConfig } from '../../src/config/mod.ts'
import { Minion } from '../../src/minion/mod.ts'
import { generateRsaKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { Line } from '../faults/line.ts'
import { SimMinion } from '../faults/sim-minion.ts'
import { until } from '../until.ts'
import { type TestMaster, TestSite } from './site.ts'

let site: TestSite
beforeEach(async () => {
  site = await TestSite.open()
})
afterEach(() => site.close())

/** A minion that can be stopped; each call is one more life of it. */
async function minion(id: string, more: Record<string, unknown> = {}): Promise<Minion> {
  const made = new Minion(await minionConfig({ path: site.minionConfig(id, more) }), silentLog)
  site.atEnd(() => made.close())
  await made.open()
  return made
}

const runs = (file: string): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0)
const returned = (master: TestMaster, jid: string, id = 'web1') =>
  master.event(new RegExp(`^salt/job/${jid}/ret/${id}$`))

describe.each(['zeromq', 'tcp', 'ws'])('A job that was published while its minion was away (%s)', (transport) => {
  it('is done when the minion is back, once and in order', async () => {
    const master = await site.master('master', '127.0.0.1', { transport })
    await (await minion('web1', { transport })).close()
    const file = join(site.root, 'ran')
    const jids = [
      await master.publish('web1', 'cmd.run', [`echo one >> ${file}`]),
      await master.publish('*', 'cmd.run', [`sleep 0.2; echo two >> ${file}`]),
    ]
    const back = await minion('web1', { transport })
    for (const jid of jids) await returned(master, jid)
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n')
    await back.close()
    await minion('web1', { transport })
    expect(await master.ask('web1', 'test.ping')).toBe(true)
    expect(runs(file)).toBe(2)
  })
})

describe('A job that a minion may have missed', () => {
  it('outlives a restart of the master', async () => {
    const master = await site.master('master', '127.0.0.1', { publish_reconnect_wait: 0 })
    await (await minion('web1')).close()
    const file = join(site.root, 'ran')
    const jid = await master.publish('web1', 'cmd.run', [`echo one >> ${file}`])
    await master.stop()
    await master.start()
    await minion('web1')
    await returned(master, jid)
    expect(runs(file)).toBe(1)
  })

  it('does not run twice when the minion was stopped while it ran, and both restart', async () => {
    const master = await site.master('master', '127.0.0.1', { publish_reconnect_wait: 0 })
    const first = await minion('web1', { pub_ret: false })
    const file = join(site.root, 'ran')
    await master.publish('web1', 'cmd.run', [`echo one >> ${file}`])
    await until('the job ran', () => runs(file) === 1)
    await first.close()
    await master.stop()
    await master.start()
    await minion('web1')
    expect(await master.ask('web1', 'test.ping')).toBe(true)
    expect(runs(file)).toBe(1)
  })

  it('is forgotten after its delivery window', async () => {
    const master = await site.master('master', '127.0.0.1', { job_delivery_window: 0 })
    await (await minion('web1')).close()
    const file = join(site.root, 'ran')
    await master.publish('web1', 'cmd.run', [`echo one >> ${file}`])
    await minion('web1')
    expect(await master.ask('web1', 'test.ping')).toBe(true)
    expect(runs(file)).toBe(0)
  })

  it('is not given to another minion', async () => {
    const master = await site.master()
    for (const id of ['web1', 'db1']) await (await minion(id)).close()
    const file = join(site.root, 'ran')
    const jid = await master.publish('web1', 'cmd.run', [`echo one >> ${file}`])
    await minion('db1')
    expect(await master.ask('db1', 'test.ping')).toBe(true)
    expect(runs(file)).toBe(0)
    await minion('web1')
    await returned(master, jid)
    expect(runs(file)).toBe(1)
  })

  it('because its subscription was under way for long is done', async () => {
    const master = await site.master()
    const line = await Line.open(site.ports.pub)
    site.atEnd(() => line.close())
    line.lateness = 700
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    for (const [id, port] of [
      // another minion of the same host listens, so the address does not identify the minion
      ['sim-0', site.ports.pub],
      ['sim-1', line.port],
    ] as const) {
      const sim = new SimMinion(id, {
        root: site.root,
        requestPort: () => site.ports.ret,
        publishPort: () => port,
        key,
        patience: 10,
        duration: () => 0,
        mayGoOn: () => Promise.resolve(),
        copies: () => 1,
      })
      site.atEnd(async () => sim.close())
      await sim.open()
    }
    // by now the master has answered that nothing was missed, and does not know of the subscription
    await sleep(300)
    await returned(master, await master.publish('sim-*', 'test.ping'), 'sim-1')
  })

  it('is reported as expired for a minion that did not come back', async () => {
    const master = await site.master('master', '127.0.0.1', { job_delivery_window: 1 })
    await (await minion('web1')).close()
    const jid = await master.publish('web1', 'test.ping')
    const state = async (): Promise<string> =>
      JSON.stringify([...((await master.run('jobs.progress', [jid])).value as Map<string, string>)])
    await until('the job expires', async () => (await state()).includes('expired: not connected since'))
  })
})
