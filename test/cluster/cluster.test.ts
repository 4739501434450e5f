import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateRsaKeys, loadOrMakeKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { RoamingMinion } from './roaming-minion.ts'
import { Trio } from './trio.ts'

const found = natsServer()
if ('reason' in found) console.warn(`cluster tests are skipped: ${found.reason}`)

describe.skipIf('reason' in found)('three masters as one', () => {
  let trio: Trio
  const minions: RoamingMinion[] = []
  let oldKey = ''

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    await trio.prepare({ schedule: { note: { function: 'test.sleep', args: [0], seconds: 3600 } } })
    // the first one was a master alone before, with a key of its own and of a minion
    const [first] = trio.masters
    mkdirSync(first!.pki, { recursive: true })
    oldKey = (await loadOrMakeKeys(first!.pki, 'master')).publicKey.pem
    first!.writeKey('minions', 'old-minion', (await generateRsaKeys(2048)).publicPem)
    await trio.start()
    const key = new RsaPrivateKey((await generateRsaKeys(2048)).privatePem)
    for (const index of [0, 1, 2]) {
      const minion = new RoamingMinion(`sim-${index}`, { ...trio, key }, index)
      await minion.open()
      minions.push(minion)
    }
  })

  afterAll(async () => {
    for (const minion of minions) await minion.close()
    await trio.close()
  })

  const returned = (jid: string, count: number): Promise<void> =>
    until(`${count} returns of ${jid} are on all masters`, () =>
      trio.masters.every((master) => master.look((jobs) => jobs.returns(jid).size) === count),
    )

  it('share the key pair and the keys of minions of the first one', async () => {
    for (const { pki } of trio.masters) expect(readFileSync(join(pki, 'cluster.pub'), 'utf8')).toBe(oldKey)
    for (const master of trio.masters) await until('the key is there', () => master.hasKey('minions', 'old-minion'))
    await trio.masters[2]!.run('wheel', 'key.delete', ['old-minion'])
    for (const master of trio.masters) await until('the key is gone', () => !master.hasKey('minions', 'old-minion'))
  })

  it('run a job of any of them on minions of all', async () => {
    for (const id of ['sim-0', 'sim-1', 'sim-2'])
      for (const master of trio.masters) await until('keys are everywhere', () => master.hasKey('minions', id))
    for (const master of trio.masters) await returned(await master.publish('sim-*', 'test.ping'), 3)
  })

  it('show who is there and who does what, and let one go', async () => {
    const [first, , third] = trio.masters
    expect(await first!.run('runner', 'cluster.members')).toMatchObject({
      '127.0.0.1': { alive: true, own: true },
      '127.0.0.3': { alive: true, own: false },
    })
    expect(await third!.run('runner', 'cluster.leases')).toMatchObject({
      schedule: expect.stringMatching(/^127_0_0_[123]$/),
    })
    expect(await third!.run('runner', 'cluster.drain')).toMatchObject({ quorum: true, problem: 'draining' })
    expect(await third!.isReady()).toBe(false)
    await until('another one holds the lease', async () => {
      const leases = (await first!.run('runner', 'cluster.leases')) as Record<string, string>
      return ['127_0_0_1', '127_0_0_2'].includes(leases['schedule'] ?? '')
    })
    await third!.run('runner', 'cluster.undrain')
    expect(await third!.run('runner', 'cluster.health')).toMatchObject({ quorum: true, problem: null, alive: 3 })
  })

  it('goes on without one that is killed, which knows everything when it is back', async () => {
    const [first, second, third] = trio.masters
    await minions[1]!.fire('before/kill')
    first!.signal('SIGKILL', 'both')
    await first!.ended()
    await until('the minion has another master', () => minions[0]!.isListening && minions[0]!.master !== first!.address)
    let jid = ''
    await until('the others take a job', async () => {
      jid = await second!.publish('sim-*', 'test.ping').catch(() => '')
      return jid !== ''
    })
    await until('all three have returned', () => third!.look((jobs) => jobs.returns(jid).size) === 3)
    await minions[2]!.fire('after/kill')
    first!.start()
    await until('the first one is back', () => first!.isReady())
    await returned(jid, 3)
    const wanted = [`salt/job/${jid}/new`, `salt/job/${jid}/ret/sim-0`, 'before/kill', 'after/kill']
    for (const master of trio.masters)
      await until(`everything is in the journal of ${master.address} once`, async () => {
        const counts = await master.journal((tag) => wanted.includes(tag))
        return wanted.every((tag) => counts.get(tag) === 1)
      })
    for (const minion of minions) expect([...minion.ran.values()].every((count) => count === 1)).toBe(true)
  })
})
