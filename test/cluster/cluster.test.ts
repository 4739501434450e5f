import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDict, type Plain, type Value } from '../../src/data/mod.ts'
import { connectDatabase } from '../../src/store/database.ts'
import { generateRsaKeys, loadOrMakeKeys, RsaPrivateKey } from '../../src/wire/mod.ts'
import { freeze } from '../freeze.ts'
import { until } from '../until.ts'
import { natsServer } from './nats-binary.ts'
import { RoamingMinion } from './roaming-minion.ts'
import { Trio, type TrioMaster } from './trio.ts'

const found = natsServer()
if ('reason' in found) console.warn(`cluster tests are skipped: ${found.reason}`)

/** Which masters are upgraded: one, or `all` of them, which takes longer. */
const UPGRADED = process.env['BRINE_UPGRADED_MASTERS']

/** A reaction that every master reports. */
const REACTION = `
answer:
  runner.event.send:
    - args:
        tag: answered/{{ tag.split('/')[1] }}
`

describe.skipIf('reason' in found)('a cluster of three masters', () => {
  let trio: Trio
  const minions: RoamingMinion[] = []
  let oldKey = ''

  beforeAll(async () => {
    trio = new Trio('program' in found ? found.program : '')
    const reaction = join(trio.root, 'react.sls')
    writeFileSync(reaction, REACTION)
    await trio.prepare({
      loop_interval: 1,
      schedule: { tick: { function: 'event.send', args: ['tick'], seconds: 1 } },
      reactor: [{ 'shop/*': [reaction] }],
      sharedsecret: 'of the shop',
      external_auth: { sharedsecret: { ann: ['.*'] } },
    })
    // the first one was a single master before, with its own key and a minion's
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

  const leases = async (master = trio.masters[0]!): Promise<Record<string, string>> =>
    (await master.run('runner', 'cluster.leases')) as Record<string, string>

  /** Wait until the journals of masters have each tag once. */
  const once = async (masters: readonly TrioMaster[], wanted: readonly string[]): Promise<void> => {
    for (const master of masters)
      await until(`${wanted.slice(0, 5).join(', ')} are in the journal of ${master.address} once`, async () => {
        const counts = await master.journal((tag) => wanted.includes(tag))
        const wrong = [...counts].find(([, count]) => count > 1)
        if (wrong) throw new Error(`${wrong[0]} is ${wrong[1]} times in the journal of ${master.address}`)
        return wanted.every((tag) => counts.get(tag) === 1)
      })
  }

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

  it('show on every master the data that minions and users stored on another one', async () => {
    const [first, second, third] = trio.masters
    expect(await minions[0]!.send('_mine', { data: new Map([['price', 12]]) })).toBe(true)
    const mine = (): Promise<Plain> => third!.run('runner', 'mine.get', ['sim-0', 'price'])
    await until('the mine is there', async () => ((await mine()) as Record<string, Plain>)['sim-0'] === 12)
    const login = { username: 'ann', password: 'of the shop', eauth: 'sharedsecret' }
    const made = (await first!.run('runner', 'auth.mk_token', [], login)) as Record<string, string>
    const known = async (master: TrioMaster): Promise<Value> =>
      master.command({ cmd: 'get_token', token: made['token']! })
    for (const master of [second!, third!])
      await until('the token is there', async () => {
        const token = await known(master)
        return isDict(token) && token.get('name') === 'ann'
      })
    expect(await third!.command({ cmd: 'revoke_token', token: made['token']! })).toBe(true)
    await until('the token is gone', async () => (await known(second!)) === false)
  })

  it('show the members and the holders of leases, and let a member leave', async () => {
    const [first, second, third] = trio.masters
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
      const { reactor = '', schedule = '' } = await leases()
      return [reactor, schedule].every((holder) => ['127_0_0_1', '127_0_0_2'].includes(holder))
    })
    await second!.run('runner', 'cluster.drain')
    await until('the first one holds all leases', async () => {
      const { reactor, schedule } = await leases()
      return reactor === '127_0_0_1' && schedule === '127_0_0_1'
    })
    for (const master of [second!, third!]) await master.run('runner', 'cluster.undrain')
    expect(await third!.run('runner', 'cluster.health')).toMatchObject({ quorum: true, problem: null, alive: 3 })
  })

  it('goes on without one that is killed, which knows everything when it is back', async () => {
    const [first, second, third] = trio.masters
    await minions[1]!.fire('before/kill')
    await minions[0]!.fire('shop/before')
    await once(trio.masters, ['answered/before'])
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
    await minions[1]!.fire('shop/meanwhile')
    // the leases of the dead one have no holder for some seconds
    await until('others hold the leases', async () => {
      const { reactor, schedule } = await leases(second)
      return [reactor, schedule].every((holder) => holder === '127_0_0_2' || holder === '127_0_0_3')
    })
    const ticks = async (): Promise<number> => (await second!.journal((tag) => tag === 'tick')).get('tick') ?? 0
    const before = await ticks()
    await until('another one starts the scheduled job', async () => (await ticks()) > before)
    await once([second!, third!], ['answered/meanwhile'])
    first!.start()
    await until('the first one is back', () => first!.isReady())
    await returned(jid, 3)
    const events = ['before/kill', 'after/kill', 'answered/before', 'answered/meanwhile']
    await once(trio.masters, [`salt/job/${jid}/new`, `salt/job/${jid}/ret/sim-0`, ...events])
    for (const minion of minions) expect([...minion.ran.values()].every((count) => count === 1)).toBe(true)
  })

  it('lose no job while one after the other is upgraded, and run none twice', async () => {
    const acknowledged: string[] = []
    const serving = new Set(trio.masters)
    let isOver = false
    const publishing = (async (): Promise<void> => {
      for (let number = 0; !isOver; number++) {
        const [master] = [...serving].slice(number % serving.size)
        const jid = await master!.publish('sim-*', 'test.ping').catch(() => undefined)
        if (jid !== undefined) acknowledged.push(jid)
        await sleep(200)
      }
    })()
    for (const master of UPGRADED === 'all' ? trio.masters : trio.masters.slice(1, 2)) {
      const before = acknowledged.length
      await master.run('runner', 'cluster.drain')
      serving.delete(master)
      await master.stop()
      await until('the others take jobs', () => acknowledged.length > before + 2)
      master.start()
      await until(`${master.address} is back`, () => master.isReady())
      serving.add(master)
    }
    isOver = true
    await publishing
    for (const { ran } of minions)
      await until('the jobs have run', () => acknowledged.every((jid) => ran.get(jid) === 1))
    for (const master of trio.masters)
      await until(`the returns are on ${master.address}`, () =>
        master.look((jobs) => acknowledged.every((jid) => jobs.returns(jid).size === minions.length)),
      )
    const ids = minions.map(({ id }) => id)
    await once(
      trio.masters,
      acknowledged.flatMap((jid) => [`salt/job/${jid}/new`, ...ids.map((id) => `salt/job/${jid}/ret/${id}`)]),
    )
  })

  it('restore the lost jobs and returns of a master', async () => {
    const [first, second, third] = trio.masters
    const kept = (await second!.run('runner', 'jobs.list_jobs')) as Record<string, { Function: string }>
    const [one, other] = Object.keys(kept).filter((jid) => kept[jid]!.Function === 'test.ping')
    await returned(one!, 3)
    await returned(other!, 3)
    const database = connectDatabase(join(first!.root, 'cache/jobs.db'))
    for (const table of ['ret', 'ledger_return'])
      database.prepare(`DELETE FROM ${table} WHERE (jid = ? AND id = 'sim-1') OR jid = ?`).run(one!, other!)
    for (const table of ['job', 'ledger_job']) database.prepare(`DELETE FROM ${table} WHERE jid = ?`).run(other!)
    database.close()
    await returned(one!, 3)
    await returned(other!, 3)
    expect(first!.look((jobs) => jobs.job(other!)?.minions)).toEqual(third!.look((jobs) => jobs.job(other!)?.minions))
    const gaps = async (): Promise<number> =>
      (await first!.journal((tag) => tag === 'salt/cluster/gap/repaired')).get('salt/cluster/gap/repaired') ?? 0
    await until('the master has told of it', async () => (await gaps()) > 0)
  })

  it('acknowledge no job that only the leading NATS server has', async () => {
    const leader = await trio.leader()
    const others = trio.masters.filter((master) => master !== leader).map(({ natsPid }) => natsPid)
    await Promise.all(others.map(freeze))
    const answer = leader.publish('sim-*', 'test.ping').finally(() => {
      for (const pid of others) process.kill(pid, 'SIGCONT')
    })
    await expect(answer).rejects.toThrow('majority')
    for (const master of trio.masters) await until(`${master.address} is ready again`, () => master.isReady())
  })
})
